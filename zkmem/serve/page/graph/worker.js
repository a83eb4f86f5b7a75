// The layout, in a thread of its own: communities first, then ForceAtlas2 until it rests or its time is over.
import { Graph, iterate, louvain } from '../vendor/layout.js';
import { renumbered } from './communities.js';

/**
 * @typedef {Matrices & { seconds: number, before: Uint32Array }} Start `before`: the number of each node's community
 * @typedef {{ pin: number, x: number, y: number, fixed: boolean }} Pin
 * @typedef {{ communities: Uint32Array } | { xy: Float32Array, done: boolean, steps: number }} Progress
 * @typedef {{ nodes: Float32Array, edges: Float32Array, settings: object }} Matrices
 * @typedef {Matrices & { end: number, steps: number, wanted: boolean }} Run `wanted`: the page can show new positions
 */

const NODE = 10; // numbers a node has in the matrix: x, y, forces, mass, convergence, size, fixed
const FIXED = 9;
const REST = 0.00005; // of the picture's width, that a node moves in one step on average
const LEAST_STEPS = 60;
const BATCH_MS = 40;

let run = /** @type {Run | null} */ (null); // the only state of this thread

self.addEventListener('message', (/** @type {MessageEvent<Start | Pin | { ready: true }>} */ { data }) => {
  if ('nodes' in data) start(data);
  else if ('ready' in data && run) run.wanted = true;
  else if ('pin' in data && run) pin(run, data);
});

function start(/** @type {Start} */ { nodes, edges, settings, seconds, before }) {
  const communities = renumbered(before, communitiesOf(nodes.length / NODE, edges));
  self.postMessage({ communities }, { transfer: [communities.buffer] });
  run = { nodes, edges, settings, end: performance.now() + seconds * 1000, steps: 0, wanted: true };
  turn(run);
}

/** Run the layout for a while, then let messages in. */
function turn(/** @type {Run} */ own) {
  if (own !== run) return;
  const until = performance.now() + BATCH_MS;
  /** @type {number} */
  let moved;
  do {
    const before = positions(own.nodes);
    iterate(own.settings, own.nodes, own.edges);
    own.steps += 1;
    moved = movement(before, own.nodes);
  } while (performance.now() < until);
  const done = performance.now() > own.end || (own.steps > LEAST_STEPS && moved < REST);
  if (own.wanted || done) report(own, done);
  if (done) run = null;
  else setTimeout(turn, 0, own);
}

function report(/** @type {Run} */ own, /** @type {boolean} */ done) {
  own.wanted = false;
  const xy = positions(own.nodes);
  self.postMessage({ xy, done, steps: own.steps }, { transfer: [xy.buffer] });
}

/** Hold a node where the person drags it. */
function pin(/** @type {Run} */ { nodes }, /** @type {Pin} */ { pin: at, x, y, fixed }) {
  const from = at * NODE;
  nodes[from] = x;
  nodes[from + 1] = y;
  nodes[from + FIXED] = fixed ? 1 : 0;
}

function positions(/** @type {Float32Array} */ nodes) {
  const xy = new Float32Array((nodes.length / NODE) * 2);
  for (let at = 0; at < xy.length; at += 2) {
    xy[at] = nodes[(at / 2) * NODE];
    xy[at + 1] = nodes[(at / 2) * NODE + 1];
  }
  return xy;
}

/** Return how far nodes moved on average, as a part of the picture's width. */
function movement(/** @type {Float32Array} */ before, /** @type {Float32Array} */ nodes) {
  let sum = 0;
  let low = Infinity;
  let high = -Infinity;
  for (let at = 0; at < before.length; at += 2) {
    const x = nodes[(at / 2) * NODE];
    sum += Math.abs(x - before[at]) + Math.abs(nodes[(at / 2) * NODE + 1] - before[at + 1]);
    low = Math.min(low, x);
    high = Math.max(high, x);
  }
  return sum / (before.length || 1) / (high - low || 1);
}

/** Return the community of each node; a graph always gets the same ones. */
function communitiesOf(/** @type {number} */ order, /** @type {Float32Array} */ edges) {
  const graph = new Graph({ type: 'undirected' });
  for (let at = 0; at < order; at += 1) graph.addNode(at);
  for (let at = 0; at < edges.length; at += 3) graph.mergeEdge(edges[at] / NODE, edges[at + 1] / NODE);
  const communities = louvain(graph, { getEdgeWeight: null, rng: seeded(1) });
  return Uint32Array.from({ length: order }, (_, at) => communities[at]);
}

/** Return a function that returns numbers between 0 and 1 that only look random (mulberry32). */
function seeded(/** @type {number} */ state) {
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
