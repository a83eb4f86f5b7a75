// The positions of nodes before the layout has run, so that the first picture is shown at once.
import { SPACING, TURN } from './measures.js';
import { extentOf, placeNew } from './newNodes.js';
import { unlinkedPlaces } from './unlinked.js';

/** @import { NoteGraph } from './model.js' */

const MOST_GROUPS = 60;

/**
 * Give each node without a position one: near its neighbours, or, if there are too few positions to begin with, in a
 * circle for each folder. Return whether all were placed anew, so that the layout has to run.
 * @param {NoteGraph} graph
 * @param {boolean} shown whether a picture shows the other positions, which then stay
 */
export function placeNodes(graph, shown) {
  const unplaced = graph.filterNodes((_, { x }) => x === undefined);
  const anew = shown ? unplaced.length > 0 && unplaced.length === graph.order : unplaced.length > graph.order / 2;
  if (anew) placeAll(graph);
  else placeNew(graph, unplaced);
  return anew;
}

/** Put all nodes into circles, one for each folder, and those without links into rows below. */
function placeAll(/** @type {NoteGraph} */ graph) {
  const circles = packed(groups(graph).map((keys) => ({ keys, radius: SPACING * (Math.sqrt(keys.length) + 1.5) })));
  for (const { keys, x, y } of circles) {
    keys.forEach((key, at) => {
      const away = SPACING * Math.sqrt(at + 0.3);
      graph.mergeNodeAttributes(key, { x: x + away * Math.cos(at * TURN), y: y + away * Math.sin(at * TURN) });
    });
  }
  const alone = graph.filterNodes((key) => graph.degree(key) === 0);
  const place = unlinkedPlaces(extentOf(graph), alone.length);
  alone.forEach((key, at) => graph.mergeNodeAttributes(key, place(at)));
}

/**
 * Return the nodes with links by folder, the largest group first, and in each the heaviest node first. A missing note
 * is in the group of a note that links to it.
 * @param {NoteGraph} graph
 */
function groups(graph) {
  /** @type {Map<string, string[]>} */
  const byFolder = new Map();
  graph.forEachNode((key, { folder }) => {
    if (graph.degree(key) === 0) return;
    const name = folder ?? firstFolder(graph, key);
    const group = byFolder.get(name);
    if (group) group.push(key);
    else byFolder.set(name, [key]);
  });
  const sorted = [...byFolder.values()].sort((a, b) => b.length - a.length);
  const shown = sorted.slice(0, MOST_GROUPS);
  if (sorted.length > MOST_GROUPS) shown.push(sorted.slice(MOST_GROUPS).flat());
  const weight = (/** @type {string} */ key) => graph.getNodeAttribute(key, 'weight');
  return shown.map((keys) => keys.sort((a, b) => weight(b) - weight(a)));
}

const firstFolder = (/** @type {NoteGraph} */ graph, /** @type {string} */ key) =>
  graph.getNodeAttribute(graph.inNeighbors(key)[0] ?? key, 'folder') ?? '';

/**
 * Place circles side by side, the largest in the middle: each gets the first free place on a spiral outwards.
 * @param {{ keys: string[], radius: number }[]} circles
 */
function packed(circles) {
  /** @type {{ keys: string[], radius: number, x: number, y: number }[]} */
  const placed = [];
  for (const circle of circles) {
    for (let step = 0; ; step += 1) {
      const away = step * SPACING * 0.5;
      const spot = { ...circle, x: away * Math.cos(step * TURN), y: away * Math.sin(step * TURN) };
      if (placed.every((other) => Math.hypot(spot.x - other.x, spot.y - other.y) >= spot.radius + other.radius)) {
        placed.push(spot);
        break;
      }
    }
  }
  return placed;
}
