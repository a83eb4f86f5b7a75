// What the page's own code takes from graphology and sigma: the graph, its picture, its communities.
export { default as Graph } from 'graphology';
export { default as louvain } from 'graphology-communities-louvain';
export { default as Sigma } from 'sigma';
