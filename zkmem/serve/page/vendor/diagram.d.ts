// The types of diagram.js, for tsc: those of the packages that are bundled in it.
export * from './entries/diagram.js';
