// The types of graph.js, for tsc: those of the packages that are bundled in it.
export * from './entries/graph.js';
