// Where nodes stand before the layout has run, so that the first picture comes at once.

const SPACING = 12;
const TURN = Math.PI * (3 - Math.sqrt(5)); // the golden angle: no two of a sunflower's seeds in line
const MOST_GROUPS = 60;

/** Give each node that has no place one: near its neighbours, or, where most have none, a circle for each folder. */
export function place(graph) {
  const homeless = graph.filterNodes((_, { x }) => x === undefined);
  if (homeless.length > graph.order / 2) spread(graph);
  else homeless.forEach((key, at) => settle(graph, key, at));
  return homeless.length;
}

function settle(graph, key, at) {
  const near = [];
  graph.forEachNeighbor(key, (_, other) => {
    if (other.x !== undefined) near.push(other);
  });
  const from = near.length ? near : [edgeOf(graph)];
  const middle = (axis) => from.reduce((sum, other) => sum + other[axis], 0) / from.length;
  const aside = { x: 2.5 * SPACING * Math.cos(at * TURN), y: 2.5 * SPACING * Math.sin(at * TURN) };
  graph.mergeNodeAttributes(key, {
    x: middle('x') + aside.x,
    y: middle('y') + aside.y,
    community: near[0]?.community ?? graph.getNodeAttribute(key, 'community'),
  });
}

function edgeOf(graph) {
  const edge = { x: 0, y: 0 };
  graph.forEachNode((_, { x = 0, y = 0 }) => {
    edge.x = Math.max(edge.x, x);
    edge.y = Math.max(edge.y, y);
  });
  return edge;
}

function spread(graph) {
  const circles = packed(groups(graph).map((keys) => ({ keys, radius: SPACING * (Math.sqrt(keys.length) + 1.5) })));
  for (const { keys, x, y } of circles) {
    keys.forEach((key, at) => {
      const away = SPACING * Math.sqrt(at + 0.3);
      graph.mergeNodeAttributes(key, { x: x + away * Math.cos(at * TURN), y: y + away * Math.sin(at * TURN) });
    });
  }
}

/** The nodes by folder, largest group first, in each the heaviest first; missing notes go with who links to them. */
function groups(graph) {
  const byFolder = new Map();
  graph.forEachNode((key, { folder }) => {
    const home = folder ?? firstFolder(graph, key);
    if (!byFolder.has(home)) byFolder.set(home, []);
    byFolder.get(home).push(key);
  });
  const sorted = [...byFolder.values()].sort((a, b) => b.length - a.length);
  const kept = sorted.slice(0, MOST_GROUPS);
  if (sorted.length > MOST_GROUPS) kept.push(sorted.slice(MOST_GROUPS).flat());
  const weight = (key) => graph.getNodeAttribute(key, 'weight');
  return kept.map((keys) => keys.sort((a, b) => weight(b) - weight(a)));
}

const firstFolder = (graph, key) => graph.getNodeAttribute(graph.inNeighbors(key)[0] ?? key, 'folder') ?? '';

/** Circles side by side, the largest in the middle: each takes the first free place on a spiral outwards. */
function packed(circles) {
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
