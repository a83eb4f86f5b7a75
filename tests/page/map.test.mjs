// The map: colours of folders, communities and their places, paths.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { page, seeded } from './browser.mjs';

const { Graph } = await page('vendor/graph');
const { placedCircles } = await page('graph/circles');
const { communitiesOf, renumbered } = await page('graph/communities');
const { bodiesOf, stepsOf } = await page('graph/forces');
const { withProposed } = await page('graph/proposed');
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
    if (count <= 8) assert.equal(new Set(Object.values(first)).size, count);
    assert.equal(withSlots({}, names.slice(0, 1))[names[0]], preferences(names[0])[0]);
  }
});

test('a folder with a colour that is no more gets another', () => {
  assert.ok(withSlots({ a: 11 }, ['a']).a < 8);
  assert.equal(withSlots({ a: 7 }, ['a']).a, 7);
});

/** What people with some cones see of linear red, green and blue (Machado and others, 2009). */
const SEEN_BY = {
  'all cones': '1 0 0 0 1 0 0 0 1',
  protanopia: '0.152286 1.052583 -0.204868 0.114503 0.786281 0.099216 -0.003882 -0.048116 1.051998',
  deuteranopia: '0.367322 0.860646 -0.227968 0.280085 0.672501 0.047413 -0.01182 0.04294 0.968881',
  tritanopia: '1.255528 -0.076749 -0.178779 -0.078411 0.930809 0.147602 0.004733 0.691367 0.3039',
};
const TO_CONES =
  '0.4122214708 0.5363325363 0.0514459929 0.2119034982 0.6806995451 0.1073969566 ' +
  '0.0883024619 0.2817188376 0.6299787005';
const TO_OKLAB =
  '0.2104542553 0.793617785 -0.0040720468 1.9779984951 -2.428592205 0.4505937099 ' +
  '0.0259040371 0.7827717662 -0.808675766';
const times = (matrix, [a, b, c]) => {
  const m = matrix.split(' ').map(Number);
  return [0, 3, 6].map((at) => m[at] * a + m[at + 1] * b + m[at + 2] * c);
};
const oklab = (linear) => times(TO_OKLAB, times(TO_CONES, linear).map(Math.cbrt));
const luminance = ([red, green, blue]) => 0.05 + 0.2126 * red + 0.7152 * green + 0.0722 * blue;
const linearOf = (hex) =>
  [0, 2, 4]
    .map((at) => Number.parseInt(hex.slice(at, at + 2), 16) / 255)
    .map((one) => (one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4));

test('any eye tells the colours of folders apart, in light and in dark, and none is dull', () => {
  const css = readFileSync(new URL('../../zkmem/serve/page/style.css', import.meta.url), 'utf8');
  for (const [, theme, rules] of css.matchAll(/color-scheme: (light|dark);(.*?)\}/gs)) {
    const back = linearOf(/--graph-back: #(\w{6})/.exec(rules)[1]);
    const colours = [...rules.matchAll(/--group-\d+: #(\w{6})/g)].map(([, hex]) => linearOf(hex));
    assert.equal(colours.length, 8);
    const hues = colours.map((colour) => {
      const [, a, b] = oklab(colour);
      assert.ok(Math.hypot(a, b) > 0.095, `${theme}: a grey`);
      const contrast = luminance(colour) / luminance(back);
      assert.ok(Math.max(contrast, 1 / contrast) >= 3, `${theme}: faint`);
      const hue = (Math.atan2(b, a) * 180) / Math.PI;
      assert.ok(theme === 'dark' || hue < 60 || hue > 135, `${theme}: brown or olive`);
      return hue;
    });
    hues.sort((one, other) => one - other);
    hues.forEach((hue, at) => assert.ok((hues[at + 1] ?? hues[0] + 360) - hue > 20, `${theme}: two hues are near`));
    for (const [by, matrix] of Object.entries(SEEN_BY)) {
      const seen = colours.map((colour) => oklab(times(matrix, colour).map((one) => Math.max(0, one))));
      const least = by === 'all cones' ? 0.1 : 0.075;
      seen.forEach((one, at) => {
        for (const other of seen.slice(0, at)) {
          assert.ok(Math.hypot(...one.map((part, axis) => part - other[axis])) > least, `${theme}, ${by}`);
        }
      });
    }
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

test('proposed notes and their links are added to the graph, and what is there stays as it is', () => {
  const answer = {
    names: ['a', 'Kettle'],
    weights: [3, 2],
    missing: ['Tea'],
    links: [0, 1, 0, 2],
    shared: '',
    version: 1,
  };
  const named = ({ names, missing, links }) => links.map((at) => [...names, ...missing][at]);
  const proposed = [
    { name: 'c/new', targets: ['kettle', 'tea', 'c/other', 'Ann'] },
    { name: 'c/other', targets: ['Ann'] },
    { name: 'a', targets: ['Ann'] }, // it has just been accepted
  ];
  const whole = withProposed(answer, proposed);
  assert.deepEqual(whole.names, ['a', 'Kettle', 'c/new', 'c/other']);
  assert.deepEqual(whole.missing, ['Tea', 'Ann']);
  assert.equal(whole.weights.length, whole.names.length);
  const before = ['a', 'Kettle', 'a', 'Tea'];
  const added = ['c/new', 'Kettle', 'c/new', 'Tea', 'c/new', 'c/other', 'c/new', 'Ann', 'c/other', 'Ann'];
  assert.deepEqual(named(whole), [...before, ...added]);
  assert.deepEqual(withProposed(answer, []), answer);
  const empty = { names: [], weights: [], missing: [], links: [], shared: '', version: 1 };
  assert.equal(withProposed(empty, proposed.slice(0, 2)).shared, 'c');
});
