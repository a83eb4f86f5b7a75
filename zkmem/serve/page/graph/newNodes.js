// The places of new notes: each beside the notes that link to it, while all others stay where they are.
import { NONE, SPACING, TURN } from './measures.js';
import { CELL, unlinkedPlaces } from './unlinked.js';

/**
 * @import { Node, NoteGraph } from './model.js'
 * @typedef {{ x: number, y: number }} Point
 * @typedef {ReturnType<typeof occupiedPlaces>} Occupied
 */

const CLEAR = 0.9 * SPACING; // the least distance between nodes
const TRIES = 150; // places that are tried for a node

/**
 * Give places to new nodes. They may link to each other.
 * @param {NoteGraph} graph
 * @param {string[]} keys
 */
export function placeNew(graph, keys) {
  const waiting = new Set(keys);
  const occupied = occupiedPlaces(graph, waiting);
  let queue = keys.filter((key) => placedNeighbours(graph, key, waiting).length);
  while (waiting.size) {
    if (!queue.length) queue = [/** @type {string} */ (waiting.values().next().value)];
    /** @type {string[]} */
    const next = [];
    for (const key of queue) {
      if (!waiting.has(key)) continue;
      placeOne(graph, key, placedNeighbours(graph, key, waiting), occupied);
      waiting.delete(key);
      graph.forEachNeighbor(key, (other) => void (waiting.has(other) && next.push(other)));
    }
    queue = next;
  }
  joinCommunities(graph);
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
 * @param {Occupied} occupied
 */
function placeOne(graph, key, near, occupied) {
  if (!near.length) {
    const place = occupied.free(graph.degree(key) ? beside(graph) : nextUnlinked(graph, occupied));
    graph.mergeNodeAttributes(key, { ...place, community: NONE });
  } else {
    const { x, y, community } = graph.getNodeAttributes(near[0]);
    graph.mergeNodeAttributes(key, { ...occupied.free({ x, y }), community });
  }
  occupied.add(/** @type {Node} */ (graph.getNodeAttributes(key)));
}

/** Return a place for notes that link to each other and to nothing else: at the right of all. */
function beside(/** @type {NoteGraph} */ graph) {
  const { right, bottom, top } = extentOf(graph) ?? { right: 0, bottom: 0, top: 0 };
  return { x: right + 3 * SPACING, y: (bottom + top) / 2 };
}

/**
 * Return the place after the last note without links.
 * @param {NoteGraph} graph
 * @param {Occupied} occupied
 */
function nextUnlinked(graph, occupied) {
  const extent = extentOf(graph);
  /** @type {Point[]} */
  const there = [];
  graph.forEachNode((key, { x, y }) => {
    if (graph.degree(key) === 0 && occupied.has({ x, y }) && !(extent && y > extent.bottom)) there.push({ x, y });
  });
  if (!there.length) return unlinkedPlaces(extent, 1)(0);
  const bottom = there.reduce((least, { y }) => Math.min(least, y), Infinity);
  const left = there.reduce((least, { x }) => Math.min(least, x), Infinity);
  const right = there.reduce((most, { x }) => Math.max(most, x), extent?.right ?? -Infinity);
  const row = there.filter(({ y }) => y < bottom + CELL / 2);
  const last = row.reduce((most, { x }) => Math.max(most, x), -Infinity);
  return last + CELL <= right ? { x: last + CELL, y: bottom } : { x: left, y: bottom - CELL };
}

/** Return the space that the notes with links take; null if there are none. */
export function extentOf(/** @type {NoteGraph} */ graph) {
  const extent = { left: Infinity, right: -Infinity, bottom: Infinity, top: -Infinity };
  graph.forEachNode((key, { x, y }) => {
    if (x === undefined || graph.degree(key) === 0) return;
    extent.left = Math.min(extent.left, x - SPACING);
    extent.right = Math.max(extent.right, x + SPACING);
    extent.bottom = Math.min(extent.bottom, y - SPACING);
    extent.top = Math.max(extent.top, y + SPACING);
  });
  return extent.left < Infinity ? extent : null;
}

/** Let notes that were alone belong to the community of what they are linked to now. */
function joinCommunities(/** @type {NoteGraph} */ graph) {
  graph.forEachNode((key, node) => {
    if ((node.community ?? NONE) !== NONE || graph.degree(key) === 0) return;
    const other = graph.findNeighbor(key, (_, { community = NONE }) => community !== NONE);
    if (other) node.community = graph.getNodeAttribute(other, 'community');
  });
}

/**
 * Return the places that nodes occupy, except the nodes in `without`.
 * @param {NoteGraph} graph
 * @param {Set<string>} without
 */
function occupiedPlaces(graph, without) {
  /** @type {Map<string, Point[]>} */
  const cells = new Map();
  const cellAt = (/** @type {number} */ column, /** @type {number} */ row) => cells.get(`${column} ${row}`) ?? [];
  const cellOf = ({ x, y } = { x: 0, y: 0 }) => [Math.floor(x / SPACING), Math.floor(y / SPACING)];
  const add = (/** @type {Point} */ { x, y }) => {
    const [column, row] = cellOf({ x, y });
    cells.set(`${column} ${row}`, [...cellAt(column, row), { x, y }]);
  };
  graph.forEachNode((key, node) => void (node.x === undefined || without.has(key) || add(node)));

  /** Return the distance of the nearest node, or SPACING if none is nearer. */
  function clearance(/** @type {Point} */ { x, y }) {
    const [column, row] = cellOf({ x, y });
    let least = SPACING;
    for (let at = 0; at < 9; at += 1) {
      for (const other of cellAt(column - 1 + (at % 3), row - 1 + Math.floor(at / 3))) {
        least = Math.min(least, Math.hypot(other.x - x, other.y - y));
      }
    }
    return least;
  }

  /** Return a place if it is free, else the nearest free place on a spiral around it, else the emptiest place there. */
  function free(/** @type {Point} */ { x, y }) {
    let best = { x, y, clear: clearance({ x, y }) };
    for (let at = 0; at < TRIES && best.clear < CLEAR; at += 1) {
      const away = SPACING * (1 + 0.45 * Math.sqrt(at));
      const spot = { x: x + away * Math.cos(at * TURN), y: y + away * Math.sin(at * TURN) };
      const clear = clearance(spot);
      if (clear > best.clear) best = { ...spot, clear };
    }
    return { x: best.x, y: best.y };
  }

  return { add, free, has: (/** @type {Point} */ point) => clearance(point) === 0 };
}
