// The layout's end in the page: sends the graph to the worker, takes positions as fast as the page can show them.
import { isMissing } from './model.js';

const NODE = 10;
const SHARE = 2; // the page is left alone for this many times as long as a picture took

/** Seconds that a layout may take: small graphs rest long before. */
const secondsFor = (order) => Math.min(20, 5 + order / 800);

/**
 * Run the layout of a graph. `show()` is called after positions changed and returns when they are seen;
 * `communities()` after each node has its community; `done()` at the end. Returns `{ pin, stop }`.
 */
export function arrange(graph, { show, communities, done, quiet = false }) {
  const worker = new Worker('graph/worker.js', { type: 'module' });
  const keys = graph.nodes();
  const index = new Map(keys.map((key, at) => [key, at]));
  let pinned = null;

  worker.addEventListener('message', async ({ data }) => {
    if (data.communities) {
      keys.forEach((key, at) => (graph.getNodeAttributes(key).community = data.communities[at]));
      communities();
      return;
    }
    if (!quiet || data.done) {
      const began = performance.now();
      move(data.xy);
      await show();
      if (!data.done) setTimeout(() => worker.postMessage({ ready: true }), SHARE * (performance.now() - began));
    }
    if (data.done) {
      worker.terminate();
      done(data.steps);
    }
  });
  worker.postMessage({ ...matrices(graph, keys, index), settings: settings(graph), seconds: secondsFor(graph.order) });

  /** Without an event for each node: the picture is told once. */
  function move(xy) {
    keys.forEach((key, at) => {
      if (key === pinned) return;
      const node = graph.getNodeAttributes(key);
      node.x = xy[2 * at];
      node.y = xy[2 * at + 1];
    });
  }

  return {
    pin(key, fixed = true) {
      const { x, y } = graph.getNodeAttributes(key);
      pinned = fixed ? key : null;
      worker.postMessage({ pin: index.get(key), x, y, fixed });
    },
    stop: () => worker.terminate(),
  };
}

function settings(graph) {
  return {
    linLogMode: true, // draws communities apart, and rests after some hundred steps
    outboundAttractionDistribution: false,
    adjustSizes: false,
    edgeWeightInfluence: 0,
    scalingRatio: 10,
    strongGravityMode: true,
    gravity: 0.05,
    slowDown: 1 + Math.log(graph.order + 1) / 3,
    barnesHutOptimize: graph.order > 500,
    barnesHutTheta: graph.order > 5000 ? 1 : 0.6,
  };
}

function matrices(graph, keys, index) {
  const nodes = new Float32Array(keys.length * NODE);
  keys.forEach((key, at) => {
    const { x, y, size } = graph.getNodeAttributes(key);
    nodes.set([x, y, 0, 0, 0, 0, mass(graph, key), 1, size, 0], at * NODE);
  });
  const edges = new Float32Array(graph.size * 3);
  let at = 0;
  graph.forEachEdge((_, __, source, target) => {
    edges.set([index.get(source) * NODE, index.get(target) * NODE, 1], at);
    at += 3;
  });
  return { nodes, edges };
}

const mass = (graph, key) => (isMissing(key) ? 1 : 1 + graph.degree(key)); // missing notes need little room
