// What the page's own code takes from graphology and sigma: the graph, and its picture.
export { default as Graph } from 'graphology';
export { default as Sigma } from 'sigma';
export { EdgeLineProgram, EdgeRectangleProgram, NodeProgram } from 'sigma/rendering';
export { floatColor } from 'sigma/utils';
