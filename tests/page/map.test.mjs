// The map: colours of folders, communities and their places, paths.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { page, seeded } from './browser.mjs';

const { Graph } = await page('vendor/graph');
const { placedCircles } = await page('graph/circles');
const { communitiesOf, renumbered } = await page('graph/communities');
const { bodiesOf, stepsOf } = await page('graph/forces');
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
