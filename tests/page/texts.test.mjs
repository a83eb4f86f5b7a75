// Texts: names that a person types, directions of writing, addresses, marks and boxes of Markdown, places in a text.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { page } from './browser.mjs';

const { closed, directionless, isolated } = await page('common/bidi');
const { fit, placeIn, ranked } = await page('common/names');
const { partsOf } = await page('common/sentence');
const { toggleMark } = await page('editor/emphasis');
const { lineOf, nearest, placeOfLine } = await page('editor/sourcelines');
const navigation = await page('navigation');
const { levelsOf } = await page('note/body');
const { withBox } = await page('note/tasks');
const { EditorSelection, EditorState } = await page('vendor/editor');

test('a beginning comes before that of a word, and that before the inside of one', () => {
  const names = ['a/Party', 'Modern art', 'Artist', 'part/Art', 'Tart'];
  assert.deepEqual(ranked(names, 'Art'), ['part/Art', 'Artist', 'Modern art', 'Tart', 'a/Party']);
  assert.deepEqual(
    ['Art', 'Artist', 'Modern art', 'Tart', 'Tea'].map((name) => fit(name, 'art')),
    [0, 1, 2, 3, 4],
  );
  assert.equal(placeIn('Tart art', 'art'), 5);
});

test('a direction of writing ends where the name ends that sets it', () => {
  assert.equal(isolated('tea'), 'tea');
  assert.equal(closed('to\u202egpj'), 'to\u202egpj\u202c');
  assert.equal(closed('end\u2069\u202ed'), 'end\u202ed\u202c', 'an end without a beginning is left out');
  assert.equal(closed('\u2066in\u202dner'), '\u2066in\u202dner\u202c\u2069');
  assert.equal(isolated('\u202eright'), '\u2068\u202eright\u202c\u2069');
  assert.equal(directionless('to\u202egpj\u202c'), 'togpj');
});

test('a sentence leads to the edits that it names and to the notes that it proposes', () => {
  const said = (sentence, names) =>
    partsOf(sentence, names).map(({ text, href = '' }) => `${text}${href && `<${href}>`}`);
  assert.deepEqual(said("There is no note 'tea'. Nearest names: tea house, tea, a+b.", ['tea', 'tea house', 'a+b']), [
    "There is no note 'tea'. Nearest names: ",
    'tea house<#/note/tea%20house>',
    ', ',
    'tea<#/note/tea>',
    ', ',
    'a+b<#/note/a%2Bb>',
    '.',
  ]);
  assert.deepEqual(said('Similar names: [[tea/pot]].'), ['Similar names: ', 'tea/pot<#/note/tea/pot>', '.']);
  assert.deepEqual(said('It was deleted in edit 12, not in <b>.', ['.*']), [
    'It was deleted in ',
    'edit 12<#/edit/12>',
    ', not in <b>.',
  ]);
});

test('the editor opens at the line of the passage that was read', () => {
  const source = '# Tea\n\nGreen tea is steeped.\n\n- black tea\n- green tea is steeped twice\n\nThe end.\n';
  assert.equal(lineOf(source, { text: 'Green tea is steeped.', share: 0.2 }), 2);
  assert.equal(lineOf(source, { text: 'green tea is steeped twice', share: 0.7 }), 5);
  assert.equal(lineOf(source, { text: 'nowhere', share: 0.5 }), 4, 'without a word of it, the share decides');
  assert.equal(placeOfLine(source, 3).text, '- black tea', 'a blank line stands for the next one');
  for (const [number, line] of source.split('\n').entries()) {
    if (line) assert.equal(lineOf(source, placeOfLine(source, number)), number, line);
  }
});

test('the nearest of several passages with the same words is found, and words count only in their order', () => {
  const texts = ['the tea', 'a cup', 'the tea', 'tea the', 'a cup'];
  assert.equal(nearest(texts, 'the tea', 0.4), 2);
  assert.equal(nearest(texts, 'the tea', 0), 0);
  assert.equal(nearest(texts, 'tea the', 0), 3);
  assert.equal(nearest([], 'tea', 0.9), 0);
});

test('an address names a view, and a view has an address', () => {
  const { noteHash, parse } = navigation;
  const random = ['a/b c', 'what?', 'a#b', '50%', 'x&y=z', 'ü/ä', '..', 'at=3'];
  for (const name of random) {
    for (const subpath of ['', '#One#Two', '#^block', '#a&b=c?d']) {
      for (const then of [{}, { at: '12' }, { at: '2026-05-01T10:00', named: 'then' }]) {
        const { view, ...found } = parse(noteHash(name, subpath, then));
        assert.deepEqual([view, found], ['note', { name, subpath, list: null, at: '', named: '', ...then }]);
      }
    }
    assert.equal(parse(navigation.tagHash(name)).list, name);
    assert.equal(parse(navigation.historyHash(name)).name, name);
    assert.equal(parse(navigation.searchHash(name)).list, name);
    assert.deepEqual(parse(navigation.baseHash(name, 'my view?')), {
      ...parse(''),
      view: 'base',
      name,
      list: 'my view?',
    });
  }
  const shown = (hash) => Object.values(parse(hash)).filter(Boolean);
  assert.deepEqual(shown(navigation.editHash('7')), ['history', '7']);
  assert.deepEqual(
    ['', '#', '#/', '#/nonsense/x', '#/note', '#/list/', '#/edit/x'].flatMap(shown),
    [],
    'what names nothing is Home',
  );
  assert.deepEqual(shown('#/list/hints'), ['list', 'hints']);
  assert.deepEqual(shown('#/history'), ['history']);
  assert.deepEqual(shown('#/tidy'), ['tidy']);
  assert.deepEqual(shown('#/note/50%'), ['note', '50%'], 'a lone % that somebody typed');
  assert.deepEqual(shown('#/note/a?%23One'), ['note', 'a', '#One'], 'a place without a moment');
});

/** Return a text after a mark was toggled; [ and ] are the ends of each selection, | is a cursor. */
function toggled(text, mark = '**') {
  const ranges = [];
  let doc = '';
  for (const letter of text) {
    if (letter === '[') ranges.push([doc.length]);
    else if (letter === ']') ranges.at(-1).push(doc.length);
    else if (letter === '|') ranges.push([doc.length, doc.length]);
    else doc += letter;
  }
  const selection = EditorSelection.create(ranges.map(([from, to]) => EditorSelection.range(from, to)));
  const extensions = EditorState.allowMultipleSelections.of(true);
  const view = { state: EditorState.create({ doc, selection, extensions }) };
  view.dispatch = ({ state }) => (view.state = state);
  toggleMark(mark)(view);
  const result = [...view.state.doc.toString()];
  for (const { from, to, empty } of view.state.selection.ranges.toReversed()) {
    if (empty) result.splice(from, 0, '|');
    else result.splice(from, to - from, '[', ...result.slice(from, to), ']');
  }
  return result.join('');
}

test('a mark is put around the selection or the word, and taken away again', () => {
  for (const [before, after] of [
    ['a [word] b', 'a **[word]** b'],
    ['a wo|rd b', 'a **wo|rd** b'],
    ['a | b', 'a **|** b'],
    ['a[ word ]b', 'a **[word]** b'],
    ['[one] and [two]', '**[one]** and **[two]**'],
    ['*[both]*', '***[both]***'],
  ]) {
    assert.equal(toggled(before), after);
  }
  for (const text of ['a **[word]** b', 'a **wo|rd** b', '***[both]***']) {
    assert.equal(toggled(text), text.replaceAll('**', ''));
  }
  assert.equal(toggled('***[both]***', '*'), '**[both]**', 'three stars are both marks');
  assert.equal(toggled('**[bold]**', '*'), '***[bold]***', 'two are bold alone');
});

test('the headings of a text have levels below the title, and none is left out', () => {
  assert.deepEqual(levelsOf([1, 3, 3, 2, 6, 1]), [3, 4, 4, 4, 5, 3]);
  assert.deepEqual(levelsOf([4, 2, 1, 5]), [3, 3, 3, 4]);
  assert.deepEqual(levelsOf([]), []);
});

test('a box is ticked in its line, and text that only looks like a box stays', () => {
  const text = '# Tasks\n- [ ] tea\n  1. [x] cup\n> * [/] half\n- [link] no\n- a [ ] no\n- [ ]';
  const line = (number, isTicked) => withBox(text, number, isTicked)?.split('\n')[number] ?? null;
  assert.equal(line(1, true), '- [x] tea');
  assert.equal(line(2, false), '  1. [ ] cup');
  assert.equal(line(3, true), '> * [x] half');
  assert.equal(line(6, true), '- [x]');
  assert.deepEqual(
    [0, 4, 5, 7].map((number) => line(number, true)),
    [null, null, null, null],
  );
  assert.equal(withBox(text, 1, true).length, text.length, 'nothing else changes');
});
