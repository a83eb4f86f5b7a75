// The communities of the graph, and the numbers that they keep.
import { Graph, louvain } from '../vendor/layout.js';
import { seeded } from './seeded.js';
import { NONE } from './measures.js';

/**
 * Return the community of each node, or NONE for a node without links; a graph always gets the same ones.
 * @param {number} order how many nodes there are
 * @param {Uint32Array} links source, target, source, target, ...
 */
export function communitiesOf(order, links) {
  const graph = new Graph({ type: 'undirected' });
  for (let at = 0; at < links.length; at += 1) graph.mergeNode(links[at]);
  for (let at = 0; at < links.length; at += 2) graph.mergeEdge(links[at], links[at + 1]);
  const communities = graph.size ? louvain(graph, { getEdgeWeight: null, rng: seeded(1) }) : {};
  return Int32Array.from({ length: order }, (_, at) => communities[at] ?? NONE);
}

/**
 * Return new numbers for communities, so that each keeps its number, and with it its colour, while it has most of the
 * notes that had that number; others get the lowest free numbers, the largest first.
 * @param {ArrayLike<number>} before the number that each node had, or NONE
 * @param {ArrayLike<number>} now the community of each node
 * @returns {Int32Array}
 */
export function renumbered(before, now) {
  const successors = successorsOf(before, now);
  const sizes = counted(now);
  /** @type {Map<number, number>} */
  const numbers = new Map();
  for (const [old, community] of successors) if (!numbers.has(community)) numbers.set(community, old);
  const taken = new Set(numbers.values());
  let free = 0;
  for (const [community] of [...sizes].sort((a, b) => b[1] - a[1] || a[0] - b[0])) {
    if (numbers.has(community)) continue;
    while (taken.has(free)) free += 1;
    numbers.set(community, free);
    taken.add(free);
  }
  return Int32Array.from(now, (community) => numbers.get(community) ?? NONE);
}

/**
 * Return `[old number, community]` where a community has more than half of the notes that had the old number, the
 * largest shares first.
 * @param {ArrayLike<number>} before
 * @param {ArrayLike<number>} now
 */
function successorsOf(before, now) {
  const sizes = counted(before);
  /** @type {Map<string, { old: number, community: number, count: number }>} */
  const shares = new Map();
  for (let at = 0; at < now.length; at += 1) {
    if (before[at] === NONE || now[at] === NONE) continue;
    const key = `${before[at]} ${now[at]}`;
    const share = shares.get(key) ?? { old: before[at], community: now[at], count: 0 };
    share.count += 1;
    shares.set(key, share);
  }
  return [...shares.values()]
    .filter(({ old, count }) => 2 * count > (sizes.get(old) ?? 0))
    .sort((a, b) => b.count - a.count || a.old - b.old)
    .map(({ old, community }) => /** @type {[number, number]} */ ([old, community]));
}

/** Return how often each number occurs, NONE left out. */
function counted(/** @type {ArrayLike<number>} */ numbers) {
  /** @type {Map<number, number>} */
  const sizes = new Map();
  for (let at = 0; at < numbers.length; at += 1) {
    if (numbers[at] !== NONE) sizes.set(numbers[at], (sizes.get(numbers[at]) ?? 0) + 1);
  }
  return sizes;
}
