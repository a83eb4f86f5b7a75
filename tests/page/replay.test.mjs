// The replay of edits on the map: its frames, their times, and what is shown after each.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { page, seeded } from './browser.mjs';

const { Graph } = await page('vendor/graph');
const { captionOf, frameAt, isThereAt, movingAt, nameAt, scriptOf, startOf, TOTAL_MS } = await page('graph/frames');
const { stateAt, unionOf } = await page('graph/union');

const NOW = Date.UTC(2026, 10, 30, 12) / 1000;
const EMPTY = { new: [], gone: [], changed: [], renamed: [], links: [], cut: [] };
const step = (edit, more) => ({
  edit,
  edits: 1,
  time: NOW - 600 + (edit ?? 0),
  client: 'claude',
  outside: '',
  words: `did ${edit}`,
  own: false,
  ...EMPTY,
  ...more,
});
const node = (name, missing = false) => ({ name, missing });

/** A graph as the map has it now. */
function present(names, links, missing = []) {
  const graph = new Graph({ type: 'directed', multi: false });
  for (const name of names) graph.addNode(name, { label: name, weight: 1, size: 3, folder: '', x: 0, y: 0 });
  for (const name of missing) graph.addNode(`\n${name}`, { label: name, weight: 0, size: 3, folder: null, x: 1, y: 2 });
  for (const [source, target] of links) graph.addDirectedEdge(source, target);
  return graph;
}

/** What is shown after a frame: the names of the notes, and the links by their keys. */
function shown(union, script, frame) {
  const { hidden, hiddenLinks, names } = stateAt(union, script, frame);
  const nodes = union.graph.filterNodes((key) => !hidden.has(key));
  const isShown = (edge, _, source, target) => !hiddenLinks.has(edge) && !hidden.has(source) && !hidden.has(target);
  const links = union.graph.filterEdges(isShown).map((edge) => union.graph.extremities(edge).join('>'));
  return [nodes.map((key) => names.get(key) ?? key).sort(), links.sort()];
}

const OPTIONS = { size: 3, shared: '' };

test('notes come, go and get other names, and the last frame is the present', () => {
  const nodes = [node('tea'), node('cup'), node('hub'), node('green tea'), node('cup', true)];
  const script = scriptOf({
    edits: 3,
    nodes,
    steps: [
      step(1, { new: [0], links: [2, 0] }),
      step(2, { gone: [1], cut: [2, 1], links: [2, 4] }),
      step(3, { renamed: [0, 3], cut: [2, 0], links: [2, 3] }),
    ],
  });
  const union = unionOf(
    present(
      ['hub', 'green tea', 'x'],
      [
        ['hub', 'green tea'],
        ['hub', '\ncup'],
      ],
      ['cup'],
    ),
    script,
    OPTIONS,
  );
  assert.deepEqual(
    [0, 1, 2, 3].map((frame) => shown(union, script, frame)),
    [
      [['cup', 'hub', 'x'], ['hub>cup']],
      [
        ['cup', 'hub', 'tea', 'x'],
        ['hub>cup', 'hub>green tea'],
      ],
      [
        ['cup', 'hub', 'tea', 'x'],
        ['hub>\ncup', 'hub>green tea'],
      ],
      [
        ['cup', 'green tea', 'hub', 'x'],
        ['hub>\ncup', 'hub>green tea'],
      ],
    ],
  );
  assert.deepEqual(script.frames[2].links, [], 'a renamed note keeps its links');
  assert.deepEqual(union.added, []);
  assert.equal(union.graph.getNodeAttribute('cup', 'y'), 2, 'a note that is gone was where the missing note is');
});

test('whatever the steps say, the last frame is the present', () => {
  const random = seeded();
  const pick = (count) => Math.floor(random() * count);
  for (let turn = 0; turn < 80; turn += 1) {
    const names = ['a', 'b', 'c', 'd', 'constructor'];
    const nodes = [...names.map((name) => node(name)), node('a', true), node('E', true)];
    const some = (most, of) => Array.from({ length: pick(most) }, () => pick(of));
    const pairs = () => some(3, 5).flatMap((source) => [source, pick(7)]);
    const steps = Array.from({ length: 1 + pick(200) }, (_, at) =>
      step(pick(9) ? at + 1 : null, {
        new: some(2, 5),
        gone: some(2, 5),
        changed: some(2, 5),
        links: pairs(),
        cut: pairs(),
        renamed: pick(3) ? [] : [pick(5), pick(5)],
      }),
    );
    const here = names.filter(() => pick(2)).map((name) => (name === 'constructor' ? '\n\nconstructor' : name));
    const graph = present(here, [], ['e']);
    for (const source of here)
      for (const target of [...here, '\ne']) if (source !== target && pick(2)) graph.addDirectedEdge(source, target);
    graph.filterNodes((key) => key === '\ne' && !graph.degree(key)).forEach((key) => graph.dropNode(key));
    const script = scriptOf({ edits: steps.length, nodes, steps });
    const union = unionOf(graph, script, OPTIONS);
    const { hidden, hiddenLinks } = stateAt(union, script, script.frames.length);
    assert.deepEqual(union.graph.filterNodes((key) => !hidden.has(key)).sort(), graph.nodes().sort());
    const left = union.graph.filterEdges(
      (edge, _, source, target) => !hiddenLinks.has(edge) && !hidden.has(source) && !hidden.has(target),
    );
    assert.deepEqual(
      left.map((edge) => union.graph.extremities(edge).join('>')).sort(),
      graph.mapEdges((_, __, s, t) => `${s}>${t}`).sort(),
    );
    assert.ok(script.frames.length <= 82);
    for (const life of [...script.nodes, ...script.links]) {
      assert.deepEqual(
        life.turns,
        life.turns.toSorted((one, other) => one - other),
      );
    }
  }
});

test('each replay takes ten seconds, and each edit is in one frame', () => {
  for (const edits of [1, 2, 46, 80, 81, 999, 1000]) {
    const steps = Array.from({ length: edits }, (_, at) => step(at + 1));
    const { frames, left } = scriptOf({ edits: edits + 5, nodes: [], steps });
    assert.equal(left, 5);
    assert.equal(frames.length, Math.min(80, edits));
    assert.equal(
      frames.reduce((sum, { more }) => sum + 1 + more, 0),
      edits,
    );
    assert.deepEqual([frameAt(0, frames.length), frameAt(TOTAL_MS, frames.length)], [0, frames.length]);
    assert.deepEqual([movingAt(0, frames.length), movingAt(TOTAL_MS, frames.length)], [[], []]);
    for (let frame = 1; frame <= frames.length; frame += 1) {
      const start = startOf(frame, frames.length);
      assert.equal(frameAt(start, frames.length), frame);
      assert.deepEqual(movingAt(start, frames.length).at(-1), [frame, 0]);
    }
  }
});

test('of the edits in one frame, the caption names the one that destroys most', () => {
  const steps = Array.from({ length: 240 }, (_, at) => step(at + 1, { changed: [0] }));
  steps[4] = step(5, { gone: [0], words: 'deleted tea' });
  const script = scriptOf({ edits: 240, nodes: [node('tea')], steps });
  assert.match(captionOf(script, 2, NOW), /^\S+( AM| PM)? claude: deleted tea, and 2 more edits$/);
  assert.match(captionOf(script, 0, NOW), /^Before 240 edits, /);
  const others = scriptOf({ edits: 1, nodes: [], steps: [step(1), { ...step(null), edits: 12, words: '' }] });
  assert.match(captionOf(others, 2, NOW), /: 12 later edits$/);
  assert.equal(captionOf(scriptOf({ edits: 0, nodes: [], steps: [] }), 0, NOW), 'Nothing has changed.');
});

test('what others did between two edits of a sitting is shown with the second', () => {
  const steps = [step(1), { ...step(null), new: [0] }, step(4, { changed: [0] })];
  const { frames, nodes } = scriptOf({ edits: 2, nodes: [node('tea')], steps });
  assert.deepEqual(
    frames.map(({ step: { edit }, more }) => [edit, more]),
    [
      [1, 0],
      [4, 0],
    ],
  );
  assert.deepEqual(
    [0, 1, 2].map((frame) => isThereAt(nodes[0], frame)),
    [false, false, true],
  );
  assert.equal(nameAt(nodes[0], 2), 'tea');
});
