// The places of new notes: each beside the notes that link to it, while all others stay where they are.
import { crowdOf } from './crowd.js';
import { NONE, SPACING } from './measures.js';
import { CELL, shore } from './shore.js';

/**
 * @import { Crowd, Point } from './crowd.js'
 * @import { Node, NoteGraph } from './model.js'
 */

/**
 * Give places to nodes that have none; what they link to may be new, too.
 * @param {NoteGraph} graph
 * @param {string[]} keys
 */
export function settle(graph, keys) {
  const waiting = new Set(keys);
  const crowd = crowdOf(graph, waiting);
  let queue = keys.filter((key) => placedNeighbours(graph, key, waiting).length);
  while (waiting.size) {
    if (!queue.length) queue = [/** @type {string} */ (waiting.values().next().value)];
    /** @type {string[]} */
    const next = [];
    for (const key of queue) {
      if (!waiting.has(key)) continue;
      placeOne(graph, key, placedNeighbours(graph, key, waiting), crowd);
      waiting.delete(key);
      graph.forEachNeighbor(key, (other) => void (waiting.has(other) && next.push(other)));
    }
    queue = next;
  }
  adopt(graph);
}

/**
 * Return the neighbours that have a place, those that link to the node first.
 * @param {NoteGraph} graph
 * @param {string} key
 * @param {Set<string>} waiting
 */
const placedNeighbours = (graph, key, waiting) =>
  [...graph.inNeighbors(key), ...graph.outNeighbors(key)].filter((other) => !waiting.has(other));

/**
 * @param {NoteGraph} graph
 * @param {string} key
 * @param {string[]} near
 * @param {Crowd} crowd
 */
function placeOne(graph, key, near, crowd) {
  if (!near.length) {
    const place = crowd.free(graph.degree(key) ? beside(graph) : nextOnShore(graph, crowd));
    graph.mergeNodeAttributes(key, { ...place, community: NONE });
  } else {
    const { x, y, community } = graph.getNodeAttributes(near[0]);
    graph.mergeNodeAttributes(key, { ...crowd.free({ x, y }), community });
  }
  crowd.add(/** @type {Node} */ (graph.getNodeAttributes(key)));
}

/** Return a place for notes that link to each other and to nothing else: at the right of all. */
function beside(/** @type {NoteGraph} */ graph) {
  const { right, bottom, top } = landOf(graph) ?? { right: 0, bottom: 0, top: 0 };
  return { x: right + 3 * SPACING, y: (bottom + top) / 2 };
}

/**
 * Return the place after the last one on the shore.
 * @param {NoteGraph} graph
 * @param {Crowd} crowd
 */
function nextOnShore(graph, crowd) {
  const land = landOf(graph);
  /** @type {Point[]} */
  const there = [];
  graph.forEachNode((key, { x, y }) => {
    if (graph.degree(key) === 0 && crowd.has({ x, y }) && !(land && y > land.bottom)) there.push({ x, y });
  });
  if (!there.length) return shore(land, 1)(0);
  const bottom = there.reduce((least, { y }) => Math.min(least, y), Infinity);
  const left = there.reduce((least, { x }) => Math.min(least, x), Infinity);
  const right = there.reduce((most, { x }) => Math.max(most, x), land?.right ?? -Infinity);
  const row = there.filter(({ y }) => y < bottom + CELL / 2);
  const last = row.reduce((most, { x }) => Math.max(most, x), -Infinity);
  return last + CELL <= right ? { x: last + CELL, y: bottom } : { x: left, y: bottom - CELL };
}

/** Return the space that the notes with links take; null if there are none. */
export function landOf(/** @type {NoteGraph} */ graph) {
  const land = { left: Infinity, right: -Infinity, bottom: Infinity, top: -Infinity };
  graph.forEachNode((key, { x, y }) => {
    if (x === undefined || graph.degree(key) === 0) return;
    land.left = Math.min(land.left, x - SPACING);
    land.right = Math.max(land.right, x + SPACING);
    land.bottom = Math.min(land.bottom, y - SPACING);
    land.top = Math.max(land.top, y + SPACING);
  });
  return land.left < Infinity ? land : null;
}

/** Let notes that were alone belong to the community of what they are linked to now. */
function adopt(/** @type {NoteGraph} */ graph) {
  graph.forEachNode((key, node) => {
    if ((node.community ?? NONE) !== NONE || graph.degree(key) === 0) return;
    const other = graph.findNeighbor(key, (_, { community = NONE }) => community !== NONE);
    if (other) node.community = graph.getNodeAttribute(other, 'community');
  });
}
