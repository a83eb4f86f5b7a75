// The map: colours of folders, communities and their places, paths, names, links.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { page, seeded } from './browser.mjs';

const { Graph } = await page('vendor/graph');
const { placedCircles } = await page('graph/circles');
const { communitiesOf, renumbered } = await page('graph/communities');
const { bodiesOf, stepsOf } = await page('graph/forces');
const { discGrid, placedNames } = await page('graph/freeSides');
const { byStrength, linksAt } = await page('graph/links');
const { shortestPath, stepsIn } = await page('graph/path');
const { preferences, withSlots } = await page('graph/slots');

test('the name decides about the colour of a folder', () => {
  const random = seeded();
  for (let turn = 0; turn < 200; turn += 1) {
    const names = Array.from({ length: 1 + (turn % 30) }, () => `f${Math.floor(random() * 1e6)}`);
    const first = withSlots({}, names);
    const again = withSlots({}, names.toReversed());
    const more = withSlots(first, [...names, 'a', 'z', 'constructor', '__proto__']);
    for (const name of names) assert.deepEqual([again[name], more[name]], [first[name], first[name]]);
    const count = new Set(names).size;
    if (count <= 12) assert.equal(new Set(Object.values(first)).size, count);
    assert.equal(withSlots({}, names.slice(0, 1))[names[0]], preferences(names[0])[0]);
  }
});

test('a community keeps its number while it has most of its notes', () => {
  const after = (before, now) => [...renumbered(before, now)];
  assert.deepEqual(after(Array(5).fill(-1), [9, 4, 4, 9, 4]), [1, 0, 0, 1, 0]);
  assert.deepEqual(after([0, 0, 0, 1, 1], [3, 3, 8, 8, 8]), [0, 0, 1, 1, 1]);
  assert.deepEqual(after([0, 0, 1, 1, 1, 1], [5, 5, 6, 6, 7, 7]), [0, 0, 1, 1, 2, 2]);
  assert.deepEqual(after([0, 0, 2, 2, -1], [5, 5, 5, 5, 6]), [0, 0, 0, 0, 1]);
  const random = seeded();
  for (let turn = 0; turn < 200; turn += 1) {
    const now = Array.from({ length: 60 }, () => Math.floor(random() * 8));
    const before = now.map((one) => (random() < 0.2 ? -1 : random() < 0.2 ? 40 : one + 10));
    const numbers = after(before, now);
    const pairs = new Set(now.map((one, at) => `${one} ${numbers[at]}`));
    assert.deepEqual([pairs.size, pairs.size], [new Set(now).size, new Set(numbers).size]);
  }
});

/** Return a graph of communities that are loosely linked, with some nodes that have no links. */
function madeUp(random) {
  const order = 20 + Math.floor(random() * 150);
  const links = [];
  for (let at = 0; at < order * 1.5; at += 1) {
    const from = Math.floor(random() * order);
    const near = (from + 1 + Math.floor(random() ** 4 * order)) % order;
    if (from !== near && from % 7 && near % 7) links.push(from, near);
  }
  return { links: Uint32Array.from(links), rooms: Float32Array.from({ length: order }, () => 6 + random() * 9) };
}

test('communities lie side by side, and their notes in them', () => {
  const random = seeded();
  for (let turn = 0; turn < 20; turn += 1) {
    const shape = madeUp(random);
    const communities = communitiesOf(shape.rooms.length, shape.links);
    const circles = placedCircles(shape, communities);
    circles.forEach((one, at) => {
      for (const other of circles.slice(0, at)) {
        assert.ok(Math.hypot(one.x - other.x, one.y - other.y) >= one.r + other.r, 'no two circles cross');
      }
    });
    assert.deepEqual(placedCircles(shape, communities), circles, 'they are not placed by chance');
    const bodies = bodiesOf(shape, circles);
    const moves = stepsOf(shape, circles, bodies, 100);
    for (let step = 0; step < 100; step += 1) for (const move of moves) move();
    for (const { circle, x, y } of bodies.values()) {
      assert.ok(Math.hypot(x - circle.x, y - circle.y) < 1.3 * circle.r, 'no note has left its circle');
    }
    assert.equal(bodies.size, new Set(shape.links).size, 'each note with links has a place');
  }
});

test('any shortest path is a path, and no other is shorter', () => {
  const random = seeded();
  for (let turn = 0; turn < 100; turn += 1) {
    const graph = new Graph({ type: 'directed' });
    const keys = Array.from({ length: 2 + Math.floor(random() * 12) }, (_, at) => `n${at}`);
    for (const key of keys) graph.addNode(key);
    for (let count = keys.length; count > 0; count -= 1) {
      const [from, to] = [0, 0].map(() => keys[Math.floor(random() * keys.length)]);
      if (from !== to) graph.mergeDirectedEdge(from, to);
    }
    const away = keys.map((from) => keys.map((to) => (from === to ? 0 : graph.areNeighbors(from, to) ? 1 : Infinity)));
    keys.forEach((_, via) => {
      for (const row of away) away[via].forEach((rest, to) => (row[to] = Math.min(row[to], row[via] + rest)));
    });
    keys.forEach((key, to) => {
      const path = shortestPath(graph, 'n0', key);
      assert.equal(path ? path.length - 1 : Infinity, away[0][to]);
      assert.ok(!path || path.slice(1).every((next, at) => graph.areNeighbors(path[at], next)));
    });
  }
});

test('the steps of a path are told in words', () => {
  const graph = new Graph({ type: 'directed' });
  for (const key of ['a', 'b', 'c', 'd']) graph.addNode(key);
  graph.mergeDirectedEdge('a', 'b');
  graph.mergeDirectedEdge('c', 'b');
  graph.mergeDirectedEdge('c', 'd');
  graph.mergeDirectedEdge('d', 'c');
  const verbs = stepsIn(graph, ['a', 'b', 'c', 'd']).map(({ verb }) => verb);
  assert.deepEqual(verbs, ['links to', 'is linked from', 'links to and from']);
});

test('no name of the small map covers another, a node or a link of the open note', () => {
  const random = seeded();
  const found = Array.from({ length: 300 }, () => {
    const sure = Math.floor(random() * 3);
    const [width, height, line] = [300, 260, 14];
    const names = Array.from({ length: 2 + Math.floor(random() * 30) }, (_, key) => ({
      key,
      x: 12 + random() * (width - 24),
      y: 12 + random() * (height - 24),
      size: 3 + random() * 9,
      texts: ['x'.repeat(4 + Math.floor(random() * 30)), 'x'.repeat(4)],
    }));
    const lines = names.slice(1).map((end) => [names[0], end]);
    const covered = [{ left: 200, right: 292, top: 224, bottom: 252 }];
    const measure = (text) => 6 * text.length;
    const discs = discGrid(names, { width, height });
    const placed = placedNames(names, {
      width,
      height,
      line,
      measure,
      discs,
      lines,
      covered,
      sure: 1 + sure,
      isFirstSure: true,
    });
    const within = ({ left, right, top, bottom }, { x, y }) =>
      x > left + 0.01 && x < right - 0.01 && y > top + 0.01 && y < bottom - 0.01;
    const dots = (box) =>
      Array.from({ length: 40 }, (_, at) => ({
        x: box.left + ((at % 20) * (box.right - box.left)) / 19,
        y: at < 20 ? box.top + 1 : box.bottom - 1,
      }));
    const along = ([from, to]) =>
      Array.from({ length: 101 }, (_, at) => ({
        x: from.x + (at / 100) * (to.x - from.x),
        y: from.y + (at / 100) * (to.y - from.y),
      }));
    const covers = [];
    for (const [at, box] of placed.entries()) {
      const others = [...covered, ...placed.slice(0, at)];
      if (at && others.some((other) => dots(box).some((dot) => within(other, dot)))) covers.push('a name');
      if (box.left < 0 || box.right > width || box.top < 0 || box.bottom > height) covers.push('an edge');
      if (at === 0) continue;
      const nodes = names.filter(({ x, y, size }) =>
        dots(box).some((dot) => Math.hypot(dot.x - x, dot.y - y) < size - 1),
      ).length;
      if (nodes > (box.key <= sure ? 3 : 0)) covers.push('a node');
      const isCrossed = lines.some((link) => along(link).some((dot) => within(box, dot)));
      if (box.key > sure && isCrossed) covers.push('a link');
    }
    if (placed[0]?.key !== 0) covers.push('not the open note');
    if (placed.some(({ key, text }) => !names[key].texts.includes(text))) covers.push('another text');
    return { covers, count: placed.length, of: names.length };
  });
  assert.deepEqual(new Set(found.flatMap(({ covers }) => covers)), new Set());
  const sum = (name) => found.reduce((total, one) => total + one[name], 0);
  assert.ok(sum('count') > 0.35 * sum('of'));
  const surface = { width: 300, height: 260, line: 14, measure: () => 30, lines: [], covered: [] };
  const lefts = [60, 240].map((x) => {
    const discs = discGrid([], surface);
    return placedNames([{ key: 'a', x, y: 99, size: 5, texts: ['abc'] }], { ...surface, discs })[0].left;
  });
  assert.deepEqual(lefts, [60 - 5 - 4 - 30, 240 + 5 + 4]);
});

test('the wider the view, the fewer links are drawn, the strongest first', () => {
  const drawn = [3, 1, 0.5, 0.2, 0.01].map((ratio) => linksAt(ratio, 60_000));
  assert.deepEqual(
    drawn,
    drawn.toSorted((one, other) => one - other),
  );
  assert.equal(drawn[0], drawn[1]);
  assert.ok(drawn[1] <= 10_000);
  assert.equal(drawn.at(-1), 60_000);
  assert.deepEqual(
    [3, 1, 0.01].map((ratio) => linksAt(ratio, 500)),
    [500, 500, 500],
  );
  const random = seeded();
  const numbers = (length, below) => Array.from({ length }, () => Math.floor(random() * below));
  for (let turn = 0; turn < 100; turn += 1) {
    const order = 3 + Math.floor(random() * 40);
    const weights = numbers(order, 9);
    const links = numbers(2 * order, order + 5);
    const sorted = [...byStrength(links, weights)];
    const first = new Set(sorted.slice(0, new Set(links).size).flatMap((at) => [links[2 * at], links[2 * at + 1]]));
    assert.deepEqual(
      sorted.toSorted((one, other) => one - other),
      [...links.keys()].slice(0, links.length / 2),
    );
    assert.ok(links.every((node) => first.has(node)));
  }
});
