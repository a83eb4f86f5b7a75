// For the page's own worker: one step of ForceAtlas2 on flat arrays, and communities.
export { default as Graph } from 'graphology';
export { default as louvain } from 'graphology-communities-louvain';
export { default as iterate } from 'graphology-layout-forceatlas2/iterate.js';
