// The views in a chat: the sizes of changes, the names of buttons, and the places of the map.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { page } from './browser.mjs';

const { sizeOf, withLabels } = await page('chat/words');
const { cut, placed } = await page('chat/layout');

test('a size has the words that came and went, and none if the words of the line say it', () => {
  assert.equal(sizeOf({ kind: 'changed', added: 12, removed: 3 }), '+12 −3 words · ');
  assert.equal(sizeOf({ kind: 'created', added: 4, removed: 0 }), '+4 words · ');
  assert.equal(sizeOf({ kind: 'deleted', added: 0, removed: 9 }), '');
  assert.equal(sizeOf({ kind: 'changed', added: null, removed: null }), '');
});

test('the buttons of two proposed edits with one title have two names', () => {
  const edits = ['Changed tea', 'Created cup', 'Changed tea'].map((title, edit) => ({ edit, title }));
  const labels = withLabels(edits).map(({ label }) => label);
  assert.deepEqual(labels, ['Changed tea (edit 0)', 'Created cup', 'Changed tea (edit 2)']);
});

const note = (name, to, from) => ({ name, to, from, weight: 1, missing: false });

test('notes that only link here are on the left, no name is on another, and each has room', () => {
  const notes = Array.from({ length: 40 }, (_, at) => note(`n${at}`, at % 2 === 0, at % 2 === 1));
  const { centre, places, height } = placed({ name: 'hub', notes, links: [], more: 0 }, 320);
  for (const isLeft of [true, false]) {
    const side = places.filter((one) => one.isLeft === isLeft);
    assert.equal(side.length, 20);
    assert.ok(side.every(({ x, y, room }) => x < centre.x === isLeft && y > 20 && y < height - 10 && room > 60));
    assert.ok(side.every(({ y }, at) => at === 0 || y - side[at - 1].y >= 24));
  }
});

test('where only one side has notes, it gets the room', () => {
  const room = (/** @type {object[]} */ ...notes) =>
    placed({ name: 'hub', notes, links: [[0, 1]], more: 0 }, 320).places[0].room;
  assert.ok(room(note('a', true, false)) > room(note('a', true, false), note('b', false, true)));
});

test('a name that is too long loses its folders, and then its end', () => {
  assert.equal(cut('home/insurance', 200), 'home/insurance');
  assert.equal(cut('home/insurance', 80), '…/insurance');
  assert.equal(cut('a/very long name indeed', 80), '…/very long…');
});
