// The layout, beside the page's own thread: communities first, then ForceAtlas2 until it rests or its time is over.
import { Graph, iterate, louvain } from '../vendor/layout.js';

const NODE = 10; // numbers a node has in the matrix: x, y, forces, mass, convergence, size, fixed
const FIXED = 9;
const REST = 0.00005; // of the picture's width, that a node moves in one step on average
const LEAST_STEPS = 60;
const BATCH_MS = 40;

let run = null;

self.addEventListener('message', ({ data }) => {
  if (data.nodes) start(data);
  else if (data.ready && run) run.wanted = true;
  else if (data.pin !== undefined && run) pin(data);
});

function start({ nodes, edges, settings, seconds }) {
  const communities = communitiesOf(nodes.length / NODE, edges);
  self.postMessage({ communities }, { transfer: [communities.buffer] });
  run = { nodes, edges, settings, end: performance.now() + seconds * 1000, steps: 0, wanted: true };
  turn(run);
}

function turn(own) {
  if (own !== run) return;
  const until = performance.now() + BATCH_MS;
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
  else setTimeout(turn, 0, own); // lets messages in
}

function report(own, done) {
  own.wanted = false;
  const xy = positions(own.nodes);
  self.postMessage({ xy, done, steps: own.steps }, { transfer: [xy.buffer] });
}

/** A node that is dragged stays where it is put. */
function pin({ pin: at, x, y, fixed }) {
  const from = at * NODE;
  run.nodes[from] = x;
  run.nodes[from + 1] = y;
  run.nodes[from + FIXED] = fixed ? 1 : 0;
}

function positions(nodes) {
  const xy = new Float32Array((nodes.length / NODE) * 2);
  for (let at = 0; at < xy.length; at += 2) {
    xy[at] = nodes[(at / 2) * NODE];
    xy[at + 1] = nodes[(at / 2) * NODE + 1];
  }
  return xy;
}

/** How far nodes moved on average, as a part of the picture's width. */
function movement(before, nodes) {
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

/** For each node the number of its community, 0 the largest; the same graph always gets the same numbers. */
function communitiesOf(order, edges) {
  const graph = new Graph({ type: 'undirected' });
  for (let at = 0; at < order; at += 1) graph.addNode(at);
  for (let at = 0; at < edges.length; at += 3) graph.mergeEdge(edges[at] / NODE, edges[at + 1] / NODE);
  const found = louvain(graph, { getEdgeWeight: null, rng: seeded(1) });
  const counts = new Map();
  for (const community of Object.values(found)) counts.set(community, (counts.get(community) ?? 0) + 1);
  const rank = new Map([...counts].sort((a, b) => b[1] - a[1]).map(([community], at) => [community, at]));
  return Uint32Array.from({ length: order }, (_, at) => rank.get(found[at]));
}

/** Numbers between 0 and 1 that only look random (mulberry32). */
function seeded(state) {
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
