// The types of stream.js, for tsc: those of the packages that are bundled in it.
export * from './entries/stream.js';
