// One step of ForceAtlas2 on flat arrays, for the page's own worker.
export { default as iterate } from 'graphology-layout-forceatlas2/iterate.js';
