// The types of code.js, for tsc: those of the packages that are bundled in it.
export * from './entries/code.js';
