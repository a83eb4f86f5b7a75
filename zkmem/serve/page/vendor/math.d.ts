// The types of math.js, for tsc: those of the packages that are bundled in it.
export * from './entries/math.js';
