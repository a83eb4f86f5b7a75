// The edits of the vault: the review, proposed edits, the history and its moments, the commands, the missing notes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { page } from './browser.mjs';

const { hueOf, hueOfProposer } = await page('common/hue');
const { agoText } = await page('common/when');
const { nameOf } = await page('common/who');
const { mayRedo } = await page('history/history');
const { momentOf } = await page('history/moments');
const { before, clientOf, isOwn, newName, undoneAmong } = await page('history/past');
const { placeOf } = await page('history/slider');
const { withDependent, withNeeded, without } = await page('review/proposed');
const { shortened, whyNoUndo } = await page('review/review');
const { commands } = await page('shell/commands');
const { byTarget } = await page('vault/tidy');
const state = await page('state');

const needing = { 1: [], 2: [1], 3: [], 4: [2, 3], 5: [4] };
const EDITS = Object.entries(needing).map(([edit, needs]) => ({ edit: Number(edit), needs }));
const sorted = (numbers) => [...numbers].sort();

test('a chosen edit brings the edits that it needs, and a dropped edit takes away the edits that need it', () => {
  assert.deepEqual(sorted(withNeeded(EDITS, new Set(), 4)), [1, 2, 3, 4]);
  assert.deepEqual(sorted(withNeeded(EDITS, new Set([3]), 2)), [1, 2, 3]);
  assert.deepEqual(sorted(without(EDITS, new Set([1, 2, 3, 4, 5]), 2)), [1, 3]);
  assert.deepEqual(sorted(withDependent(EDITS, [3])), [3, 4, 5]);
  for (const { edit } of EDITS) {
    const chosen = withNeeded(EDITS, new Set(), edit);
    for (const one of chosen)
      assert.ok(
        needing[one].every((other) => chosen.has(other)),
        'they can be accepted',
      );
    const left = without(EDITS, new Set([1, 2, 3, 4, 5]), edit);
    assert.ok(!left.has(edit));
    for (const one of left)
      assert.ok(
        needing[one].every((other) => left.has(other)),
        'the others can be accepted',
      );
  }
});

test('who made the edits of a sitting is told in words', () => {
  const sitting = { client: 'Claude', own: false, synchronised: false, outside: '' };
  assert.equal(nameOf(sitting), 'Claude');
  assert.equal(nameOf({ ...sitting, own: true }), 'You');
  assert.equal(nameOf({ ...sitting, client: '' }), 'Somebody');
  assert.equal(nameOf({ ...sitting, client: '', synchronised: true }), 'Synchronisation');
  assert.equal(nameOf({ ...sitting, outside: 'hand' }), 'By hand');
  assert.equal(nameOf({ ...sitting, outside: 'git pull' }), 'git pull');
});

test('the page can undo changes by other programs only if zkmem has listed all of them', () => {
  assert.equal(whyNoUndo({ outside: 'hand', more: 0 }), '');
  assert.match(whyNoUndo({ outside: 'hand', more: 3 }), /more changes/);
  assert.match(whyNoUndo({ outside: 'git pull', more: 0 }), /with git/);
});

test('a list of names is cut, and says how many are left', () => {
  assert.equal(shortened(['a', 'b'], 2), 'a, b');
  assert.equal(shortened(['a', 'b', 'c', 'd', 'e', 'f'], 9), 'a, b, c, d, e and 4 more');
});

test('a client has the same hue when it writes and when it proposes', () => {
  assert.equal(hueOf('bot: claude'), hueOf('bot'));
  assert.notEqual(hueOf('claude'), hueOf('codex'));
  for (const client of ['', 'claude', 'x'.repeat(200), 'ü']) assert.ok(hueOf(client) >= 0 && hueOf(client) < 360);
  const set = (...clients) => ({ client: 'somebody', edits: clients.map((client) => ({ client })) });
  assert.equal(hueOfProposer(set('claude', 'claude')), hueOf('claude'));
  assert.equal(hueOfProposer(set('claude', 'codex')), hueOf('somebody'));
});

test('the last undo can be made again until it is undone', () => {
  const undo = (rev, ...undoes) => ({ rev, tool: 'undo', undoes });
  const edit = (rev) => ({ rev, tool: 'set_content', undoes: [] });
  assert.equal(mayRedo([edit('1')]), false);
  assert.equal(mayRedo([undo('2', '1'), edit('1')]), true);
  assert.equal(mayRedo([{ ...edit('3'), undoes: ['2'] }, undo('2', '1'), edit('1')]), false);
  assert.equal(mayRedo(Array.from({ length: 100 }, (_, at) => edit(String(at)))), true, 'an older edit may be an undo');
});

test('an undone edit is known until its undo is undone', () => {
  const edit = (rev, ...undoes) => ({ rev, undoes });
  const undone = (...edits) => [...undoneAmong(edits)];
  assert.deepEqual(undone(edit('2'), edit('1')), []);
  assert.deepEqual(undone(edit('3', '1'), edit('2'), edit('1')), ['1']);
  assert.deepEqual(undone(edit('4', '3'), edit('3', '1'), edit('2'), edit('1')), ['3']);
});

test('a time is told by how long ago it was, and by its day after a month', () => {
  const ago = (seconds) => agoText(1e9 - seconds, 1e9);
  assert.deepEqual([0, 44, -44].map(ago), Array(3).fill('just now'));
  assert.deepEqual([45, 119, 7200, 90_000, 29 * 86_400].map(ago), [
    '1 minute ago',
    '1 minute ago',
    '2 hours ago',
    '1 day ago',
    '29 days ago',
  ]);
  assert.equal(ago(-6 * 86_400), 'in 6 days');
  assert.match(ago(30 * 86_400), /2001/);
});

test('the page recognises its own edits, and finds the name that a note got in an edit', () => {
  assert.deepEqual([isOwn('page'), isOwn('claude'), clientOf({ client: '' })], [true, false, 'somebody else']);
  state.vault.value = { token: 'ann' };
  assert.deepEqual([isOwn('page'), isOwn('ann: page'), clientOf({ client: 'ann: page' })], [false, true, 'you']);
  state.vault.value = null;
  const moves = [{ from: 'a', to: 'b' }];
  assert.deepEqual([newName('a', { moves }), newName('b', { moves })], ['b', undefined]);
  assert.deepEqual(['12', 'abc123f'].map(before), ['11', 'abc123f~1']);
});

test('a moment is after an edit, after a commit, or before the first known edit', () => {
  const hash = 'a'.repeat(40);
  const momentAt = (rev, author = '') => {
    const { what, side, edit } = momentOf({ rev, time: 5, author });
    return [what, side, edit];
  };
  assert.deepEqual(momentAt('7', 'Claude'), ['edit 7 (Claude)', 'after', '7']);
  assert.deepEqual(momentAt(hash), ['commit aaaaaaa', 'after', '']);
  assert.deepEqual(momentAt(''), ['the first known edit', 'before', '']);
});

test('the slider is at the shown moment, or at the last one before it', () => {
  const moments = [10, 20, 30].map((time) => ({ at: `${time / 10}`, time }));
  assert.equal(placeOf([...moments, { at: '4', time: 30 }], '3', 30), 2);
  assert.equal(placeOf(moments, '2026-05-01', 29), 1);
  assert.equal(placeOf(moments, '2020-01-01', 5), 0);
});

test('missing notes are listed by the name that links use, the most frequent first', () => {
  const finding = (note, target) => ({ note, target, choices: [] });
  const findings = [
    finding('a', 'Zen'),
    finding('a', 'Tea'),
    finding('b', 'tea'),
    finding('b', 'TEA'),
    finding('c', 'Oak'),
  ];
  const rows = byTarget(findings).map(({ target, notes }) => [target, notes]);
  assert.deepEqual(rows, [
    ['Tea', ['a', 'b']],
    ['Oak', ['c']],
    ['Zen', ['a']],
  ]);
});

test('a reader gets no command that edits, and no vault gets the command for the tables', () => {
  const titles = (vault) => {
    state.vault.value = vault;
    return commands().map(({ title }) => title);
  };
  const [reader, writer] = [false, true].map((can) => titles({ name: 'a', can_write: can, vaults: ['a', 'b'] }));
  assert.deepEqual(
    writer.filter((title) => !reader.includes(title)),
    ['New note…', 'Undo the last edit…'],
  );
  assert.ok(reader.includes('Open the vault b') && !reader.includes('Open the vault a') && !reader.includes('Sign in'));
  assert.ok(reader.includes('Missing notes') && !reader.includes('Tables'), 'the folders offer the tables');
  assert.ok(titles(null).includes('Sign in'));
});
