// The types of ui.js, for tsc: those of the packages that are bundled in it.
export * from './entries/ui.js';
