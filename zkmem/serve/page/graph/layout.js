// The page's side of the layout: sends the graph to the worker, takes positions as fast as the page can show them.
import { NONE } from './communities.js';
import { isMissing } from './model.js';

/**
 * @import { NoteGraph } from './model.js'
 * @import { Progress, Start } from './worker.js'
 * @typedef {ReturnType<typeof arrange>} Layout
 */

const NODE = 10;
const SHARE = 2; // the page is left alone for this many times as long as a picture took

/** Return the seconds that a layout may take; small graphs come to rest long before. */
const secondsFor = (/** @type {number} */ order) => Math.min(20, 5 + order / 800);

/**
 * Run the layout of a graph. `show()` is called after positions changed, and its promise resolves when they are seen;
 * `communities()` is called when each node has its community, `done()` at the end. Return `{ pin, stop }`.
 * @param {NoteGraph} graph
 * @param {{ show: () => Promise<void>, communities: () => void, done: () => void, quiet?: boolean }} options
 */
export function arrange(graph, { show, communities, done, quiet = false }) {
  const worker = new Worker('graph/worker.js', { type: 'module' });
  const keys = graph.nodes();
  const index = new Map(keys.map((key, at) => [key, at]));
  let pinned = /** @type {string | null} */ (null);
  const indexOf = (/** @type {string} */ key) => index.get(key) ?? 0;

  worker.addEventListener('message', async (/** @type {MessageEvent<Progress>} */ { data }) => {
    if ('communities' in data) {
      const numbers = data.communities;
      keys.forEach((key, at) => (graph.getNodeAttributes(key).community = numbers[at]));
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
      done();
    }
  });
  /** @type {Start} */
  const start = {
    ...matrices(graph, keys, indexOf),
    settings: settings(graph),
    seconds: secondsFor(graph.order),
    before: Uint32Array.from(keys, (key) => graph.getNodeAttribute(key, 'community') ?? NONE),
  };
  worker.postMessage(start);

  /** Move the nodes without an event for each: the picture is refreshed once. */
  function move(/** @type {Float32Array} */ xy) {
    keys.forEach((key, at) => {
      if (key === pinned) return;
      const node = graph.getNodeAttributes(key);
      node.x = xy[2 * at];
      node.y = xy[2 * at + 1];
    });
  }

  return {
    /** Hold a node where it is, or let it go. */
    pin(/** @type {string} */ key, fixed = true) {
      const { x, y } = graph.getNodeAttributes(key);
      pinned = fixed ? key : null;
      worker.postMessage({ pin: indexOf(key), x, y, fixed });
    },
    stop: () => worker.terminate(),
  };
}

function settings(/** @type {NoteGraph} */ graph) {
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

/**
 * Return the graph as the arrays that the layout works on.
 * @param {NoteGraph} graph
 * @param {string[]} keys
 * @param {(key: string) => number} indexOf
 */
function matrices(graph, keys, indexOf) {
  const nodes = new Float32Array(keys.length * NODE);
  keys.forEach((key, at) => {
    const { x, y, size } = graph.getNodeAttributes(key);
    nodes.set([x, y, 0, 0, 0, 0, mass(graph, key), 1, size, 0], at * NODE);
  });
  const edges = new Float32Array(graph.size * 3);
  let at = 0;
  graph.forEachEdge((_, __, source, target) => {
    edges.set([indexOf(source) * NODE, indexOf(target) * NODE, 1], at);
    at += 3;
  });
  return { nodes, edges };
}

/** Return how much room a node needs: a missing note needs little. */
const mass = (/** @type {NoteGraph} */ graph, /** @type {string} */ key) =>
  isMissing(key) ? 1 : 1 + graph.degree(key);
