// The names in the map, how nodes and links are drawn, and the note that a typed name stands for.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { page, seeded } from './browser.mjs';

const { boxArea } = await page('graph/boxes');
const { DiscProgram } = await page('graph/discs');
const { discGrid, meet, placedNames } = await page('graph/freeSides');
const { byStrength, linksAt } = await page('graph/links');
const { buildGraph } = await page('graph/model');
const { noteNames } = await page('graph/noteNames');
const { regionNames } = await page('graph/regionNames');
const { ambiguous, withName } = await page('graph/typedName');
const { floatColor } = await page('vendor/graph');
const state = await page('state');

const along = ([from, to]) =>
  Array.from({ length: 101 }, (_, at) => ({
    x: from.x + (at / 100) * (to.x - from.x),
    y: from.y + (at / 100) * (to.y - from.y),
  }));
const dots = ({ left, right, top, bottom }) =>
  Array.from({ length: 40 }, (_, at) => ({
    x: left + ((at % 20) * (right - left)) / 19,
    y: at < 20 ? top + 1 : bottom - 1,
  }));
const within = ({ left, right, top, bottom }, { x, y }) =>
  x > left + 0.01 && x < right - 0.01 && y > top + 0.01 && y < bottom - 0.01;

test('no name of the small map covers another, a node or a link of the open note', () => {
  const random = seeded();
  const [width, height, line] = [300, 260, 14];
  const covered = [{ left: 200, right: 292, top: 224, bottom: 252 }];
  let [count, of] = [0, 0];
  for (let turn = 0; turn < 40; turn += 1) {
    const sure = Math.floor(random() * 3);
    const names = Array.from({ length: 2 + Math.floor(random() * 30) }, (_, key) => ({
      key,
      x: 12 + random() * (width - 24),
      y: 12 + random() * (height - 24),
      size: 3 + random() * 9,
      texts: ['x'.repeat(4 + Math.floor(random() * 30)), 'x'.repeat(4)],
    }));
    const lines = names.slice(1).map((end) => [names[0], end]);
    const measure = (text) => 6 * text.length;
    const discs = discGrid(names, { width, height });
    const around = { width, height, line, measure, discs, lines, covered, sure: 1 + sure, isFirstSure: true };
    const placed = placedNames(names, around);
    assert.equal(placed[0].key, 0, 'the open note has a name');
    for (const [at, box] of placed.entries()) {
      assert.ok(names[box.key].texts.includes(box.text));
      assert.ok(box.left >= 0 && box.right <= width && box.top >= 0 && box.bottom <= height, 'it is in the picture');
      if (at === 0) continue;
      const others = [...covered, ...placed.slice(0, at)];
      assert.ok(!others.some((other) => dots(box).some((dot) => within(other, dot))), 'it covers no other name');
      const isOn = ({ x, y, size }) => dots(box).some((dot) => Math.hypot(dot.x - x, dot.y - y) < size - 1);
      assert.ok(names.filter(isOn).length <= (box.key <= sure ? 3 : 0), 'it covers no node');
      const isCrossed = lines.some((one) => along(one).some((dot) => within(box, dot)));
      assert.ok(box.key <= sure || !isCrossed, 'it covers no link');
    }
    [count, of] = [count + placed.length, of + names.length];
  }
  assert.ok(count > 0.35 * of, 'most of what has room is written');
});

test('a name is written on the outer side of its node', () => {
  const picture = { width: 300, height: 260 };
  const around = { ...picture, line: 14, measure: () => 30, discs: discGrid([], picture), lines: [], covered: [] };
  const left = (x) => placedNames([{ key: 'a', x, y: 99, size: 5, texts: ['abc'] }], around)[0].left;
  assert.deepEqual([60, 240].map(left), [60 - 5 - 4 - 30, 240 + 5 + 4]);
});

test('a grid finds the nodes on a box, as a search of all of them does', () => {
  const random = seeded();
  const picture = { width: 400, height: 300 };
  const discs = Array.from({ length: 80 }, () => ({ x: 400 * random(), y: 300 * random(), size: 1 + 40 * random() }));
  const grid = discGrid(discs, picture);
  for (let turn = 0; turn < 100; turn += 1) {
    const [left, top] = [400 * random(), 300 * random()];
    const box = { left, top, right: left + 60 * random(), bottom: top + 20 };
    const away = ({ x, y }) =>
      Math.hypot(x - Math.max(left, Math.min(x, box.right)), y - Math.max(top, Math.min(y, box.bottom)));
    const count = discs.filter((disc) => away(disc) < disc.size).length;
    assert.deepEqual([grid.count(box), grid.some(box), grid.count(box, 2)], [count, count > 0, Math.min(2, count)]);
  }
});

test('the wider the view, the fewer links are drawn, the strongest first', () => {
  const drawn = [3, 1, 0.5, 0.2, 0.01].map((ratio) => linksAt(ratio, 60_000));
  assert.deepEqual(
    drawn,
    drawn.toSorted((a, b) => a - b),
  );
  assert.ok(drawn[0] === drawn[1] && drawn[0] <= 10_000 && drawn.at(-1) === 60_000);
  assert.deepEqual(
    [3, 1, 0.01].map((ratio) => linksAt(ratio, 500)),
    [500, 500, 500],
  );
  const random = seeded();
  for (let turn = 0; turn < 100; turn += 1) {
    const order = 3 + Math.floor(random() * 40);
    const weights = Array.from({ length: order }, () => Math.floor(random() * 9));
    const links = Array.from({ length: 2 * order }, () => Math.floor(random() * (order + 5)));
    const sorted = byStrength(links, weights);
    assert.deepEqual(
      sorted.toSorted((a, b) => a - b),
      [...Array(order).keys()],
      'each link is there once',
    );
    const first = sorted.slice(0, new Set(links).size).flatMap((at) => [links[2 * at], links[2 * at + 1]]);
    assert.deepEqual(new Set(first), new Set(links), 'each node has one of the first links');
  }
  assert.deepEqual(byStrength([0, 1, 0, 2, 0, 3], [9, 1, 5, 3]), [1, 2, 0], 'a link to a heavy note is strong');
});

test('a disc has one colour, and a ring has another one inside', () => {
  const array = new Float32Array(18);
  const disc = { x: 1, y: 2, size: 3, color: '#ff0000' };
  DiscProgram.prototype.processVisibleItem.call({ array }, 7, 0, disc);
  DiscProgram.prototype.processVisibleItem.call({ array }, 8, 6, { ...disc, inside: '#00ff00' });
  const red = floatColor('#ff0000');
  assert.deepEqual([...array.subarray(0, 6)], [...Float32Array.of(1, 2, 3, red, 0, 7)]);
  assert.deepEqual([...array.subarray(6, 12)], [...Float32Array.of(1, 2, 3, red, floatColor('#00ff00'), 8)]);
});

/** Return what sigma gives for a graph whose places are pixels of a picture; nodes with a mark are hidden. */
function rendererOf(graph, isHidden = () => false) {
  const settings = { labelFont: 'sans-serif', labelSize: 12 };
  return {
    getGraph: () => graph,
    getSetting: (name) => settings[name],
    getDimensions: () => ({ width: 800, height: 600 }),
    getNodeDisplayData: (key) => ({ ...graph.getNodeAttributes(key), hidden: isHidden(key) }),
    framedGraphToViewport: (point) => point,
    graphToViewport: (point) => point,
    scaleSize: (size) => size,
  };
}

/** Return a graph of heaps of notes, each heap a community in a folder of its own, with links within it. */
function heaps(random) {
  const names = ['ant', 'bee', 'cat', 'dog'].flatMap((folder) =>
    Array.from({ length: 15 }, (_, at) => `${folder}/${folder} ${at}`),
  );
  const links = names.flatMap((_, at) => (at % 15 ? [at, at - (at % 15)] : []));
  const weights = names.map((_, at) => (at % 15 ? random() : 20));
  const middle = (at) => ({ x: 200 + 400 * (at % 2), y: 150 + 300 * Math.floor(at / 2) });
  const graph = buildGraph({ names, links, weights, missing: [], shared: '' });
  graph.forEachNode((key) => {
    const community = Math.floor(names.indexOf(key) / 15);
    const { x, y } = middle(community);
    graph.mergeNodeAttributes(key, { x: x + 120 * (random() - 0.5), y: y + 120 * (random() - 0.5), community });
  });
  return graph;
}

const NOTHING = { first: new Set(), boxed: new Set(), titles: new Set(), regions: () => [] };
const crossing = (boxes) => boxes.some((one, at) => boxes.slice(0, at).some((other) => meet(one, other)));

test('the map names the heaviest notes, and more notes at a higher level of names', () => {
  const graph = heaps(seeded());
  const names = noteNames(
    rendererOf(graph, (key) => key === 'ant/ant 1'),
    () => ({}),
    () => null,
  );
  names.find();
  names.look();
  const at = (level) => {
    names.place({ ...NOTHING, level });
    return names.placed();
  };
  const counts = [0, 1, 2, 3].map((level) => at(level).length);
  assert.ok(counts[0] === 0 && counts[1] < counts[2] && counts[2] < counts[3], `${counts}`);
  const placed = at(3);
  assert.deepEqual(
    placed
      .slice(0, 4)
      .map(({ text }) => text)
      .sort(),
    ['ant 0', 'bee 0', 'cat 0', 'dog 0'],
  );
  assert.ok(
    !crossing(placed) && !placed.some(({ text }) => text === 'ant 1'),
    'no name lies on another, none is hidden',
  );
  names.place({ ...NOTHING, level: 1, first: new Set(['cat/cat 7']) });
  assert.ok(
    names.placed().some(({ text, isExtra }) => text === 'cat 7' && isExtra),
    'what is lit has a name, too',
  );
  names.place({ ...NOTHING, level: 3, boxed: new Set(['dog/dog 0']) });
  assert.ok(!names.placed().some(({ text }) => text === 'dog 0'), 'what has a box has no second name');
});

test('the small map names the open note first, then those around it', () => {
  const graph = heaps(seeded());
  const keys = new Set(graph.filterNodes((key) => key.startsWith('bee')));
  const names = noteNames(
    rendererOf(graph, (key) => !keys.has(key)),
    () => ({}),
    () => ({ key: 'bee/bee 3', keys, covered: [] }),
  );
  names.find();
  names.look();
  names.place({ ...NOTHING, level: 0 });
  const texts = names.placed().map(({ text }) => text);
  assert.equal(texts[0], 'bee 3');
  assert.ok(texts.length > 3 && texts.every((text) => text.startsWith('bee')) && names.beside());
});

test('the name of a region is above it, and covers no other name', () => {
  const graph = heaps(seeded());
  const names = regionNames(rendererOf(graph), () => ({}));
  names.find();
  assert.deepEqual([...names.look(true)], [], 'each is called after its folder');
  const discs = discGrid([], { width: 800, height: 600 });
  const covered = [{ left: 0, right: 800, top: 0, bottom: 90 }];
  const placed = names.place(discs, covered);
  assert.deepEqual(placed.map(({ name }) => name).sort(), ['ant', 'bee', 'cat', 'dog']);
  assert.ok(!crossing([...placed, ...covered]));
  for (const { left, right, top, bottom } of placed) assert.ok(left > 0 && right < 800 && top > 0 && bottom < 600);
  names.look(false);
  assert.deepEqual(names.place(discs, []), [], 'without names there are none');
});

test('a box with a whole name is beside its node, and within the picture', () => {
  const random = seeded();
  const context = document.createElement('canvas').getContext();
  const settings = { labelFont: 'sans-serif', labelSize: 12 };
  for (let turn = 0; turn < 200; turn += 1) {
    const picture = { width: 320 + 900 * random(), height: 300 + 500 * random() };
    const node = { x: picture.width * random(), y: picture.height * random(), size: 2 + 10 * random() };
    const whole = (turn % 2 ? 'a name ' : 'x').repeat(1 + 30 * random());
    const { left, right, top, bottom } = boxArea(context, { ...node, whole }, picture, settings);
    assert.ok(left <= node.x && right >= node.x, 'the node is at an end of the box');
    assert.ok(top >= 0 && bottom <= picture.height);
    const inner = { left: Math.min(0, node.x - node.size - 3), right: Math.max(picture.width, node.x + node.size + 3) };
    assert.ok(left >= inner.left && right <= inner.right, `${left} ${right} of ${picture.width}`);
  }
});

test('a typed name finds the note with this name, or the note whose name ends with it', () => {
  const names = ['tea/Green', 'paint/Green', 'tea/Black', 'Green/House'];
  const graph = buildGraph({ names, weights: [1, 1, 1, 1], missing: ['gone'], links: [], shared: '' });
  state.noteNames.value = names;
  assert.deepEqual(withName(graph, 'tea/Green'), ['tea/Green']);
  assert.deepEqual(withName(graph, 'gone'), ['gone']);
  assert.deepEqual(withName(graph, 'green'), ['tea/Green', 'paint/Green']);
  assert.deepEqual(withName(graph, 'lack'), [], 'not a part of a word');
  assert.equal(
    ambiguous('green', ['tea/Green', 'paint/Green']),
    '“green” may be tea/Green, paint/Green: write the whole name.',
  );
  assert.match(ambiguous('a', ['1/a', '2/a', '3/a', '4/a', '5/a']), /1\/a, 2\/a, 3\/a and 2 more:/);
});
