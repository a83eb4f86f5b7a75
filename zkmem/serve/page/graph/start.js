// The positions of nodes before the layout has run, so that the first picture is shown at once.

/** @import { NoteGraph } from './model.js' */

const SPACING = 12;
const TURN = Math.PI * (3 - Math.sqrt(5)); // the golden angle, at which no two points of a spiral are in line
const MOST_GROUPS = 60;

/**
 * Give each node without a position one: near its neighbours, or, if most nodes have none, in a circle for each folder.
 * Return how many nodes had none.
 * @param {NoteGraph} graph
 */
export function placeNodes(graph) {
  const homeless = graph.filterNodes((_, { x }) => x === undefined);
  if (homeless.length > graph.order / 2) spread(graph);
  else homeless.forEach((key, at) => settle(graph, key, at));
  return homeless.length;
}

/** Put a node near its neighbours, or at the edge of the graph. */
function settle(/** @type {NoteGraph} */ graph, /** @type {string} */ key, /** @type {number} */ at) {
  /** @type {{ x: number, y: number, community?: number }[]} */
  const near = [];
  graph.forEachNeighbor(key, (_, other) => {
    if (other.x !== undefined) near.push(other);
  });
  const from = near.length ? near : [edgeOf(graph)];
  const middle = (/** @type {'x' | 'y'} */ axis) => from.reduce((sum, other) => sum + other[axis], 0) / from.length;
  const aside = { x: 2.5 * SPACING * Math.cos(at * TURN), y: 2.5 * SPACING * Math.sin(at * TURN) };
  graph.mergeNodeAttributes(key, {
    x: middle('x') + aside.x,
    y: middle('y') + aside.y,
    community: near[0]?.community ?? graph.getNodeAttribute(key, 'community'),
  });
}

function edgeOf(/** @type {NoteGraph} */ graph) {
  const edge = { x: 0, y: 0 };
  graph.forEachNode((_, { x = 0, y = 0 }) => {
    edge.x = Math.max(edge.x, x);
    edge.y = Math.max(edge.y, y);
  });
  return edge;
}

/** Put all nodes into circles, one for each folder. */
function spread(/** @type {NoteGraph} */ graph) {
  const circles = packed(groups(graph).map((keys) => ({ keys, radius: SPACING * (Math.sqrt(keys.length) + 1.5) })));
  for (const { keys, x, y } of circles) {
    keys.forEach((key, at) => {
      const away = SPACING * Math.sqrt(at + 0.3);
      graph.mergeNodeAttributes(key, { x: x + away * Math.cos(at * TURN), y: y + away * Math.sin(at * TURN) });
    });
  }
}

/**
 * Return the nodes by folder, the largest group first, and in each the heaviest node first. A missing note is in the
 * group of a note that links to it.
 * @param {NoteGraph} graph
 */
function groups(graph) {
  /** @type {Map<string, string[]>} */
  const byFolder = new Map();
  graph.forEachNode((key, { folder }) => {
    const home = folder ?? firstFolder(graph, key);
    const group = byFolder.get(home);
    if (group) group.push(key);
    else byFolder.set(home, [key]);
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
