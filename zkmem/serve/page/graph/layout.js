// The page's side of the layout: sends the graph to the worker, takes positions as fast as the page can show them.
import { NONE, SPACING } from './measures.js';
import { fileOf } from '../place.js';

/**
 * @import { NoteGraph } from './model.js'
 * @import { Progress, Start } from './worker.js'
 * @typedef {ReturnType<typeof arrange>} Layout
 */

const SHARE = 2; // the page is left alone for this many times as long as a picture took
const MANY = 2000; // notes, for which fewer steps are made

/** Return the seconds that a layout may take; small graphs come to rest long before. */
const secondsFor = (/** @type {number} */ order) => Math.min(20, 5 + order / 800);

/**
 * Run the layout of a graph. `show()` is called after positions changed, and its promise resolves when they are seen;
 * `communities()` is called when each node has its community, `done()` at the end. Meanwhile another graph may be
 * shown: `current()` returns the one whose nodes move. Return `{ knows, pin, stop }`.
 * @param {() => NoteGraph} current
 * @param {{ show: () => Promise<void>, communities: () => void, done: () => void, quiet?: boolean }} options
 */
export function arrange(current, { show, communities, done, quiet = false }) {
  const worker = new Worker(fileOf('graph/worker.js'), { type: 'module' });
  const keys = current().nodes();
  const index = new Map(keys.map((key, at) => [key, at]));
  let pinned = /** @type {string | null} */ (null);

  worker.addEventListener('message', async (/** @type {MessageEvent<Progress>} */ { data }) => {
    if ('communities' in data) {
      each((node, at) => (node.community = data.communities[at]));
      communities();
      return;
    }
    if (!quiet || data.done) {
      const began = performance.now();
      each((node, at, key) => {
        if (key !== pinned) Object.assign(node, { x: data.xy[2 * at], y: data.xy[2 * at + 1] });
      });
      await show();
      if (!data.done) setTimeout(() => worker.postMessage({ ready: true }), SHARE * (performance.now() - began));
    }
    if (data.done) {
      worker.terminate();
      done();
    }
  });
  worker.postMessage(startFor(current(), keys, index));

  /**
   * Change nodes without an event for each: the picture is refreshed once.
   * @param {(node: import('./model.js').Node, at: number, key: string) => void} change
   */
  function each(change) {
    const graph = current();
    keys.forEach((key, at) => {
      if (graph.hasNode(key)) change(graph.getNodeAttributes(key), at, key);
    });
  }

  return {
    /** Return whether the layout moves a node; it does not if the node is new. */
    knows: (/** @type {string} */ key) => index.has(key),
    /** Hold a node where it is, or let it go. */
    pin(/** @type {string} */ key, fixed = true) {
      const [at, { x, y }] = [index.get(key), current().getNodeAttributes(key)];
      pinned = fixed ? key : null;
      if (at !== undefined) worker.postMessage({ pin: at, x, y, fixed });
    },
    stop: () => worker.terminate(),
  };
}

/**
 * Return the graph as numbers.
 * @param {NoteGraph} graph
 * @param {string[]} keys
 * @param {Map<string, number>} index
 * @returns {Start}
 */
function startFor(graph, keys, index) {
  const links = new Uint32Array(2 * graph.size);
  let at = 0;
  graph.forEachEdge((_, __, source, target) => {
    links.set([index.get(source) ?? 0, index.get(target) ?? 0], at);
    at += 2;
  });
  const nodes = keys.map((key) => graph.getNodeAttributes(key));
  const least = nodes.reduce((size, node) => Math.min(size, node.size), Infinity);
  return {
    links,
    rooms: Float32Array.from(nodes, ({ size }) => (SPACING / 2) * Math.sqrt(size / least)),
    before: Int32Array.from(nodes, ({ community = NONE }) => community),
    steps: graph.order > MANY ? 90 : 300,
    seconds: secondsFor(graph.order),
  };
}
