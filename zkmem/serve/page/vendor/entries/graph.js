// What the page's own code takes from graphology and sigma: the graph, and its picture.
export { default as Graph } from 'graphology';
export { default as Sigma } from 'sigma';
export { NodeCircleProgram } from 'sigma/rendering';
export { EdgeLineProgram, EdgeRectangleProgram } from 'sigma/rendering';
export { createNodeBorderProgram } from '@sigma/node-border';
