// The types of layout.js, for tsc: those of the packages that are bundled in it.
export * from './entries/layout.js';
