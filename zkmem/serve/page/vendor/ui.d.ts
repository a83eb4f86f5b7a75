// The types of ui.js, for tsc: those of the packages that are bundled in it.
export * from './entries/ui.js';
export type { ComponentChildren } from 'preact';
export type { Signal } from '@preact/signals';
