// The types of editor.js, for tsc: those of the packages that are bundled in it.
export * from './entries/editor.js';
