// Which places of the picture are occupied, and the nearest that is free.
import { SPACING, TURN } from './measures.js';

/**
 * @import { NoteGraph } from './model.js'
 * @typedef {{ x: number, y: number }} Point
 * @typedef {ReturnType<typeof occupiedPlaces>} Occupied
 */

const CLEAR = 0.9 * SPACING; // the least distance between nodes
const TRIES = 150;

/**
 * Return the places that nodes occupy, those of `without` left out.
 * @param {NoteGraph} graph
 * @param {Set<string>} without
 */
export function occupiedPlaces(graph, without) {
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

  /** Return the place itself if it is free, else the nearest one on a spiral around it, else the emptiest of these. */
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
