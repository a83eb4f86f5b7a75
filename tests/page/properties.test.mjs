// The values of properties by their types.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { page } from './browser.mjs';

const { converted, itemOf, typesFor, valueOf } = await page('note/propertyvalues');

test('a written value gets the type of its field, or none', () => {
  assert.equal(valueOf('text', ' 5 '), ' 5 ');
  for (const [written, value] of [
    ['5', 5],
    [' -1.5 ', -1.5],
    ['.5', 0.5],
    ['', ''],
    ['x', undefined],
    ['1e9', undefined],
  ])
    assert.equal(valueOf('number', written), value, written);
  assert.equal(valueOf('checkbox', 'true'), true);
  assert.equal(valueOf('checkbox', 'yes'), undefined);
  assert.equal(valueOf('date', '2026-03-01'), '2026-03-01');
  assert.equal(valueOf('date', 'soon'), undefined);
  assert.equal(valueOf('datetime', '2026-03-01T09:05'), '2026-03-01T09:05');
  assert.deepEqual(valueOf('list', 'a, b'), ['a, b']);
  assert.deepEqual(valueOf('tags', ''), []);
});

test('a value becomes one of another type if nothing of it is lost', () => {
  assert.deepEqual(converted('Smith, John', 'list'), ['Smith, John']);
  assert.deepEqual(converted('', 'list'), []);
  assert.equal(converted(['5'], 'number'), 5);
  assert.equal(converted(['5', '6'], 'number'), undefined);
  assert.equal(converted(['a', 'b'], 'text'), 'a, b');
  assert.equal(converted('', 'checkbox'), false);
  assert.equal(converted('draft', 'checkbox'), undefined);
  assert.equal(converted('2026-03-01 09:05:30', 'date'), '2026-03-01');
  assert.equal(converted('2026-03-01', 'datetime'), '2026-03-01T00:00');
  assert.equal(converted(true, 'text'), 'true');
});

test('the name decides whether a property has tags or aliases, and a tag has no blanks', () => {
  assert.deepEqual(typesFor(' Tags '), ['tags']);
  assert.deepEqual(typesFor('alias'), ['aliases']);
  assert.ok(!typesFor('status').includes('tags'));
  assert.equal(itemOf('tags', ' #slow  food '), 'slow-food');
  assert.equal(itemOf('aliases', ' Slow food '), 'Slow food');
});
