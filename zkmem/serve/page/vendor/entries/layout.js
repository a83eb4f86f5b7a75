// For the page's own worker: communities, forces between nodes, and circles side by side.
export { default as Graph } from 'graphology';
export { default as louvain } from 'graphology-communities-louvain';
export { forceCollide, forceLink, forceManyBody, forceSimulation, forceX, forceY } from 'd3-force';
export { packEnclose, packSiblings } from 'd3-hierarchy';
