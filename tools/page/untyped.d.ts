// Types for what a package of the page comes without.
declare module 'graphology-layout-forceatlas2/iterate.js' {
  /** One step of the layout: moves the nodes of the matrix. */
  export default function iterate(settings: object, nodes: Float32Array, edges: Float32Array): object;
}
