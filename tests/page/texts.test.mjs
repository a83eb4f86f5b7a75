// Texts: names that a person types, directions of writing, places in a text, the slider.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { page } from './browser.mjs';

const { closed, directionless, isolated } = await page('common/bidi');
const { fit, placeIn, ranked } = await page('search/names');
const { placeOf } = await page('history/slider');
const { lineOf, placeOfLine } = await page('editor/sourcelines');

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

test('the slider stands at the moment that is shown, else at the last one before it', () => {
  const moments = [10, 20, 30].map((time) => ({ at: `${time / 10}`, time }));
  assert.equal(placeOf(moments, '2', 20), 1);
  assert.equal(placeOf(moments, '2026-05-01', 29), 1);
  assert.equal(placeOf(moments, '2020-01-01', 5), 0);
});
