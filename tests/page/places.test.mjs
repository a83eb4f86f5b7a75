// Where the notes of the map are: the first picture, new notes, what the browser keeps.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { page, seeded } from './browser.mjs';

const { SPACING } = await page('graph/measures');
const { brief, buildGraph, folderCounts, keyOf, nameOf, neighbourhood } = await page('graph/model');
const { extentOf, placeNew } = await page('graph/newNodes');
const { forgetPositions, savePositions, savedPositions } = await page('graph/positions');
const { regionsOf, unlinkedRegion } = await page('graph/regions');
const { placeAround } = await page('graph/around');
const { placeNodes } = await page('graph/start');
const { unlinkedPlaces } = await page('graph/unlinked');

/** Return the graph of notes by name, each with the names that it links to; a heavy note has a weight. */
function graphOf(notes, { weights = {}, missing = [], shared = '' } = {}, oldPlace = undefined) {
  const names = Object.keys(notes);
  const all = [...names, ...missing];
  const links = names.flatMap((name, at) => notes[name].flatMap((to) => [at, all.indexOf(to)]));
  return buildGraph({ names, missing, links, shared, weights: names.map((name) => weights[name] ?? 1) }, oldPlace);
}

/** Return the notes of an animal, in its folder: each links to the next two. */
const kind = (name, count) =>
  Object.fromEntries(
    Array.from({ length: count }, (_, at) => [
      `${name}s/${name} ${at}`,
      [1, 2].map((by) => `${name}s/${name} ${(at + by) % count}`),
    ]),
  );
const ALONE = Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`Alone ${at}`, []]));
const ISLANDS = { ...kind('cat', 7), ...kind('dog', 6), ...ALONE };

const placesOf = (graph) => Object.fromEntries(graph.mapNodes((key, { x, y }) => [key, { x, y }]));
const away = (one, other) => Math.hypot(one.x - other.x, one.y - other.y);

test('a note may have the name of a property of every object, or a name like the key of a missing note', () => {
  const graph = graphOf(
    { constructor: ['__proto__'], ['__proto__']: ['\nodd'], '\nodd': ['gone'] },
    { missing: ['gone'] },
  );
  const links = graph.mapEdges((_, __, from, to) => [nameOf(from), nameOf(to)]);
  assert.deepEqual(links.sort(), [
    ['\nodd', 'gone'],
    ['__proto__', '\nodd'],
    ['constructor', '__proto__'],
  ]);
  assert.equal(keyOf(graph, 'toString'), null);
  assert.notEqual(keyOf(graph, 'gone'), 'gone', 'a missing note has another key than a note of its name');
});

test('a node shows the end of its name, and has a folder, and a size by its weight', () => {
  const notes = { 'a/b/One': [], 'a/c/d/Two': [], 'a/Three': [] };
  const graph = graphOf(notes, { weights: { 'a/b/One': 90 }, shared: 'a' });
  const nodes = Object.fromEntries(graph.mapNodes((key, { label, folder, size }) => [label, { key, folder, size }]));
  assert.deepEqual([nodes.One.folder, nodes.Two.folder, nodes.Three.folder], ['a/b', 'a/c', 'a']);
  assert.ok(nodes.One.size > 2 * nodes.Two.size && nodes.Two.size === nodes.Three.size);
  assert.equal(brief('😀'.repeat(50), 10), `${'😀'.repeat(9)}…`);
  assert.equal(brief('short'), 'short');
  assert.deepEqual(folderCounts(['a/b/One', 'a/Two', 'Three']), [
    ['a', 2],
    ['a/b', 1],
  ]);
});

test('beside a note, it is in the middle of rings, and no two notes are close', () => {
  const names = Array.from({ length: 45 }, (_, at) => `${'ab'[at % 2]}/${at}`);
  const graph = graphOf({ Middle: names, ...Object.fromEntries(names.map((name) => [name, []])) });
  placeAround(graph, 'Middle');
  const places = graph.mapNodes((key, { x, y }) => ({ key, x, y }));
  assert.deepEqual(places[0], { key: 'Middle', x: 0, y: 0 });
  for (const one of places)
    for (const other of places)
      if (one !== other) assert.ok(Math.hypot(one.x - other.x, one.y - other.y) > 1.5 * SPACING, one.key);
});

test('a neighbourhood has the notes that are at most so many links away, in either direction', () => {
  const graph = graphOf({ a: ['b'], b: ['c'], c: ['d'], d: [], e: ['a'] });
  assert.deepEqual([...neighbourhood(graph, 'b', 1)].sort(), ['a', 'b', 'c']);
  assert.deepEqual([...neighbourhood(graph, 'b', 2)].sort(), ['a', 'b', 'c', 'd', 'e']);
});

test('in the first picture each folder is a heap, and notes without links are in rows below', () => {
  const graph = graphOf(ISLANDS, { weights: { 'cats/cat 3': 9 } });
  assert.equal(placeNodes(graph, false), true, 'the layout has to run');
  const places = placesOf(graph);
  const of = (word) =>
    Object.keys(places)
      .filter((key) => key.includes(word))
      .map((key) => places[key]);
  const [cats, dogs, alone] = ['cat', 'dog', 'Alone'].map(of);
  assert.ok(away(places['cats/cat 3'], { x: 0, y: 0 }) < SPACING, 'the heaviest of the largest heap is in the middle');
  const across = Math.max(...cats.flatMap((one) => cats.map((other) => away(one, other))));
  for (const cat of cats) for (const dog of dogs) assert.ok(away(cat, dog) > SPACING);
  assert.ok(across < Math.max(...cats.flatMap((one) => dogs.map((other) => away(one, other)))));
  assert.ok(Math.max(...alone.map(({ y }) => y)) < Math.min(...[...cats, ...dogs].map(({ y }) => y)) - SPACING);
  assert.ok(new Set(alone.map(({ y }) => y)).size <= 3);
  const all = Object.values(places);
  assert.equal(new Set(all.map(({ x, y }) => `${x} ${y}`)).size, all.length, 'no two notes are in one place');
});

test('a new note gets a place beside the notes that link to it, and no other note moves', () => {
  const old = graphOf(ISLANDS);
  placeNodes(old, false);
  const before = placesOf(old);
  const puppies = Object.fromEntries(Array.from({ length: 6 }, (_, at) => [`dogs/Puppy ${at}`, ['dogs/dog 3']]));
  const chain = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`Chain ${at}`, [`Chain ${at + 1}`]]));
  const added = { ...puppies, ...chain, 'Chain 30': ['dogs/dog 1'], Last: [] };
  const graph = graphOf({ ...added, ...ISLANDS }, {}, (key) => before[key]);
  assert.equal(placeNodes(graph, true), false, 'the other notes stay, so the layout need not run');
  const after = placesOf(graph);
  for (const key of Object.keys(before)) assert.deepEqual(after[key], before[key]);
  for (const one of Object.keys(added)) {
    for (const other of Object.keys(after)) assert.ok(one === other || away(after[one], after[other]) > 8, one);
  }
  for (const key of Object.keys(puppies)) assert.ok(away(after[key], after['dogs/dog 3']) < 90);
  for (const key of Object.keys(chain)) assert.ok(away(after[key], after[chain[key][0]]) < 90);
  assert.ok(after.Last.y <= Math.max(...Object.keys(ALONE).map((key) => after[key].y)), 'it is below, too');
  const pair = graphOf({ One: ['Two'], Two: ['One'], ...ISLANDS }, {}, (key) => before[key]);
  placeNodes(pair, true);
  const [one, two] = ['One', 'Two'].map((key) => pair.getNodeAttributes(key));
  const { right } = extentOf(graphOf(ISLANDS, {}, (key) => before[key]));
  assert.ok(one.x > right && away(one, two) < 90, 'notes that only link to each other are beside all');
});

test('notes without links are in rows, somewhat wider than high', () => {
  const places = Array.from({ length: 40 }, (_, at) => unlinkedPlaces(null, 40)(at));
  const [columns, rows] = ['x', 'y'].map((axis) => new Set(places.map((place) => place[axis])).size);
  assert.ok(columns * rows >= 40 && columns > rows && columns < 2 * rows, `${columns} × ${rows}`);
  assert.equal(new Set(places.map(({ x, y }) => `${x} ${y}`)).size, 40);
});

test('a note that gets its first link joins the community of the linked note', () => {
  const oldPlaces = { a: { x: 0, y: 0, community: 3 }, b: { x: 50, y: 0, community: -1 } };
  const graph = graphOf({ a: ['b', 'new'], b: [], new: [] }, {}, (key) => oldPlaces[key]);
  placeNew(graph, ['new']);
  assert.deepEqual(
    ['b', 'new'].map((key) => graph.getNodeAttribute(key, 'community')),
    [3, 3],
  );
});

test('the browser keeps the places of each vault, and forgets them at sign-out', () => {
  const graph = graphOf({ a: [], constructor: [] }, {}, () => ({ x: 1.26, y: -2, community: 4 }));
  savePositions('mine', graph);
  const saved = savedPositions('mine');
  assert.deepEqual(saved('a'), { x: 1.3, y: -2, community: 4 });
  assert.equal(saved('toString'), undefined);
  assert.equal(savedPositions('other')('a'), undefined);
  forgetPositions('mine');
  assert.equal(savedPositions('mine')('a'), undefined);
});

test('a region has the name of its folder, or that of its heaviest note', () => {
  const community = (key) => (key.startsWith('cat') ? 0 : key.startsWith('dog') ? 1 : key.startsWith('Al') ? -1 : 2);
  const random = seeded();
  const birds = { 'Al new': ['a/Tit'], 'a/Tit': ['b/Owl'], 'b/Owl': ['c/Jay'], 'c/Jay': ['d/Roc'], 'd/Roc': [] };
  const oldPlace = (key) => ({ x: 9 * random(), y: 9 * random(), community: community(key) });
  const graph = graphOf({ ...ISLANDS, ...birds }, { weights: { 'c/Jay': 5 } }, oldPlace);
  const regions = regionsOf(graph);
  assert.deepEqual(
    regions.map(({ name, note, count }) => [name, note, count]),
    [
      ['cats', undefined, 7],
      ['dogs', undefined, 6],
      ['Jay', 'c/Jay', 4],
    ],
  );
  for (const { x, y, r } of regions) assert.ok(x > 0 && x < 9 && y > 0 && y < 9 && r > 0 && r < 9);
  assert.equal(regionsOf(graph, (key) => !key.startsWith('cats/cat 0'))[0].count, 6, 'what is hidden does not count');
  const { name, count, unlinked } = unlinkedRegion(graph);
  assert.deepEqual([name, count, unlinked], ['No links', 9, true], 'a new note with a link is not there');
  assert.equal(
    unlinkedRegion(graph, (key) => key === 'Alone 0'),
    null,
    'few notes need no name',
  );
});
