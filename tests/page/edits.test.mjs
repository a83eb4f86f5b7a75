// The edits of the vault: the review, proposed edits, the history and its moments, the commands, the missing notes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { page } from './browser.mjs';

const { hueOf } = await page('common/hue');
const { agoText } = await page('common/when');
const { nameOf } = await page('common/who');
const { mayRedo } = await page('history/history');
const { momentOf } = await page('history/moments');
const { filesOf } = await page('common/preview');
const { before, clientOf, isOwn, newName } = await page('history/past');
const { placeOf } = await page('history/slider');
const { originOf, passagesWith } = await page('history/why');
const { parse, reviewHash } = await page('navigation');
const { clientsToChoose, filterOf, seenText } = await page('review/brief');
const { countText, keyOf, leadOf, whyNoUndo, withDone } = await page('review/brief');
const { headingOf } = await page('review/changed');
const { groupsOf, withDependent, withNeeded, withToggled, without } = await page('review/choosing');
const { byGroup, groupKey, isImport, leadsTo, monthText, projectsOf, summaryOf } = await page('review/groups');
const { commands } = await page('shell/commands');
const { byTarget } = await page('vault/tidy');
const state = await page('state');

const needing = { 1: [], 2: [1], 3: [], 4: [2, 3], 5: [4] };
const EDITS = Object.entries(needing).map(([edit, needs]) => ({ edit: Number(edit), needs }));
const sorted = (numbers) => [...numbers].sort();

test('a chosen edit brings the edits that it needs, and a dropped edit takes away the edits that need it', () => {
  assert.deepEqual(sorted(withNeeded(EDITS, new Set(), 4)), [1, 2, 3, 4]);
  assert.deepEqual(sorted(withNeeded(EDITS, new Set([3]), 2)), [1, 2, 3]);
  assert.deepEqual(sorted(without(EDITS, new Set([1, 2, 3, 4, 5]), [2])), [1, 3]);
  assert.deepEqual(sorted(withDependent(EDITS, [3])), [3, 4, 5]);
  for (const { edit } of EDITS) {
    const chosen = withNeeded(EDITS, new Set(), edit);
    for (const one of chosen)
      assert.ok(
        needing[one].every((other) => chosen.has(other)),
        'they can be accepted',
      );
    const left = without(EDITS, new Set([1, 2, 3, 4, 5]), [edit]);
    assert.ok(!left.has(edit));
    for (const one of left)
      assert.ok(
        needing[one].every((other) => left.has(other)),
        'the others can be accepted',
      );
  }
});

test('the notes of an import are told by project and month, the latest first', () => {
  const groups = [
    { project: 'garden', month: '', total: 1 },
    { project: 'tea', month: '2026-10', total: 1200 },
    { project: 'tea', month: '2026-11', total: 3 },
  ];
  assert.equal(summaryOf({ groups, total: 1204 }), '1,204 notes proposed, from 3 months, 2 projects');
  const told = projectsOf(groups).map(({ project, total, groups: own }) => [
    project,
    total,
    ...own.map(({ month }) => monthText(month)),
  ]);
  assert.deepEqual(told, [
    ['garden', 1, 'No date'],
    ['tea', 1203, 'November 2026', 'October 2026'],
  ]);
  assert.ok(isImport({ groups, total: 1204 }));
  assert.ok(!isImport({ groups, total: 1205 }), 'an edit that is in no group could not be chosen');
  assert.ok(!isImport({ groups: [], total: 0 }));
});

test('edits are put into the groups that the server names', () => {
  const of = [
    ['tea', '2026-11'],
    ['tea', '2026-11'],
    ['tea', '2026-10'],
    ['tea', ''],
    ['', ''],
    [null, null],
  ];
  const groups = byGroup(of.map(([project, month], at) => ({ edit: at + 1, project, month })));
  assert.equal(groups.size, 4);
  const numbers = (project, month) => groups.get(groupKey({ project, month }))?.map(({ edit }) => edit);
  assert.deepEqual(numbers('tea', '2026-11'), [1, 2]);
  assert.deepEqual(numbers('tea', '2026-10'), [3]);
  assert.deepEqual(numbers('tea', ''), [4]);
  assert.deepEqual(numbers('', ''), [5]);
});

test('a link leads to a note of that name, in any folder and in any case', () => {
  assert.ok(leadsTo('Tea', 'drinks/tea'));
  assert.ok(leadsTo('drinks/tea', 'Drinks/Tea'));
  assert.ok(!leadsTo('ea', 'tea'));
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

test('the page cannot undo what git has changed', () => {
  assert.equal(whyNoUndo('hand'), '');
  assert.equal(whyNoUndo(''), '');
  assert.match(whyNoUndo('git pull'), /with git/);
});

const NOON = new Date(2026, 10, 30, 12).getTime() / 1000;
const by = (name, outside = '') => ({ client: name, version: '', outside, edits: 1, notes: 1 });

test('a brief begins with who edited, how much and since when', () => {
  const lead = (edits, since, ...clients) => leadOf({ clients, edits, since }, NOON);
  assert.equal(lead(1, null, by('Claude')), 'Claude, 1 edit');
  const several = [by('Claude'), by('codex'), by('', 'hand'), by('', 'git pull')];
  assert.match(
    lead(46, NOON - 20 * 3600, ...several),
    /^2 clients, changes by hand and git pull, 46 edits since yesterday .*4:00/,
  );
  assert.match(lead(2, NOON - 3600, by('', 'hand')), /^Changes by hand, 2 edits since 11:00/);
  assert.match(lead(2, NOON - 90 * 86_400, by('')), /^Somebody, 2 edits since .*2026/);
});

test('the first count of a brief says that notes are counted', () => {
  const texts = (...counts) => counts.map(([kind, notes], at) => countText({ kind, notes }, at === 0)).join(', ');
  assert.equal(texts(['deleted', 1], ['overwritten', 1], ['created', 12]), '1 note deleted, 1 overwritten, 12 created');
  assert.equal(texts(['created', 1], ['relinked', 3]), '1 note created, 3 relinked');
  assert.equal(texts(['changed', 2000]), '2,000 notes changed');
});

test('each part of a brief has an address', () => {
  for (const filter of [
    {},
    { kind: 'deleted' },
    { client: 'a & b/ü?', kind: 'changed' },
    { sitting: '12', folder: 'a/b' },
  ]) {
    const { view, list } = parse(reviewHash(filter));
    assert.deepEqual([view, filterOf(list)], ['review', filter]);
  }
  assert.deepEqual(filterOf('kind=deleted&other=1&client='), { kind: 'deleted' });
});

test('the button that marks lines says how many', () => {
  assert.equal(seenText(1038, false), 'Mark all 1,038 as seen');
  assert.equal(seenText(3, true), 'Mark these 3 as seen');
});

test('each client that has a name can be chosen', () => {
  const clients = ['one', '', 'two', ''].map((client, at) => ({ client, outside: at === 3 ? 'hand' : '' }));
  assert.deepEqual(
    clientsToChoose(clients).map(({ value }) => value),
    ['one', 'two', 'hand'],
    'an empty filter would show the lines of all',
  );
});

test('what the person has dealt with stays in its place until the view is left', () => {
  const line = (note, viewed = false, edit = 1) => ({ note, client: 'a', outside: '', first: 1, edit, viewed });
  const names = (...lines) => lines.map(({ note, viewed }) => note + (viewed ? '!' : '')).join(' ');
  const shown = [line('a'), line('b'), line('c'), line('d')];
  const done = new Map([line('b', true), line('c', true)].map((one) => [keyOf(one), one]));
  assert.equal(names(...withDone([line('a'), line('d'), line('e')], shown, done)), 'a b! c! d e');
  assert.equal(names(...withDone([line('d')], shown, done)), 'b! c! d');
  assert.equal(names(...withDone([line('c'), line('d')], shown, done)), 'b! c! d', 'the server does not know it yet');
  assert.equal(names(...withDone([line('c', false, 2), line('d')], shown, done)), 'b! c d', 'c has changed again');
  assert.equal(names(...withDone([line('d')], shown, new Map())), 'd');
});

test('a heading is shown once above the passages below it, and not below itself', () => {
  const passages = [
    ['', '<div class="removed"><h1>Coffee</h1></div><div class="added"><h1>Tea</h1></div><p>One.</p>'],
    ['Tea', '<p>Two.</p>'],
    ['Milk', '<p>Three.</p>'],
  ].map(([under, source]) => ({ number: 0, under, html: source }));
  assert.deepEqual(
    passages.map((_, at) => headingOf(passages, at)),
    ['', '', 'Milk'],
  );
});

test('a preview counts notes, and files only where they are no notes', () => {
  const texts = [['a.md'], ['a.md', 'b.MD'], ['a.md', 'b.canvas'], ['b.canvas', 'c.zip']].map((paths) =>
    filesOf(paths.map((path) => ({ path }))),
  );
  assert.deepEqual(texts, ['1 note', '2 notes', '1 note and 1 file', '2 files']);
});

test('edits are chosen by client, by folder and by kind, with those that they need', () => {
  const edit = (number, name, outcome, who, ...needs) => ({
    edit: number,
    client: who,
    needs,
    notes: [{ name, outcome }],
  });
  const edits = [
    edit(1, 'a/x', 'created', 'claude'),
    edit(2, 'a/x', 'changed', 'codex', 1),
    edit(3, 'y', 'changed', 'claude'),
  ];
  const groups = groupsOf(edits);
  assert.deepEqual(
    groups.map(({ label, edits: numbers }) => `${label}: ${numbers}`),
    ['all: 1,2,3', 'claude: 1,3', 'codex: 2', 'a/: 1,2', 'no folder: 3', 'created: 1', 'changed: 2,3'],
  );
  assert.deepEqual(sorted(withToggled(edits, new Set(), [2])), [1, 2]);
  assert.deepEqual(sorted(withToggled(edits, new Set([1, 2, 3]), [1])), [3]);
  assert.deepEqual(groupsOf([edit(1, 'x', 'changed', 'claude')]).length, 1);
});

test('a client has the same hue when it writes and when it proposes', () => {
  assert.equal(hueOf('bot: claude'), hueOf('bot'));
  assert.notEqual(hueOf('claude'), hueOf('codex'));
  for (const name of ['', 'claude', 'x'.repeat(200), 'ü']) assert.ok(hueOf(name) >= 0 && hueOf(name) < 360);
});

test('the last undo can be made again until it is undone', () => {
  const edit = (tool, undone = false) => ({ tool, undone });
  assert.equal(mayRedo([edit('set_content')]), false);
  assert.equal(mayRedo([edit('undo'), edit('set_content', true)]), true);
  assert.equal(mayRedo([edit('redo'), edit('undo', true), edit('set_content')]), false);
  assert.equal(mayRedo(Array(100).fill(edit('set_content'))), true, 'an older edit may be an undo');
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
  assert.ok(isOwn('ann: review in a chat'));
  state.vault.value = { token: 'ann@page 2', person: 'ann' };
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

test('why a passage is here: the passages with the selected words, and a sentence about each', () => {
  const passages = ['Green tea, at', '75', '°C. Never **above** it.'].map((text) => ({ text }));
  const chosen = (words) => passagesWith(passages, words).map((one) => passages.indexOf(one));
  assert.deepEqual(['green TEA', '75', 'Never above', 'at 75', 'other words', ''].map(chosen), [
    [0],
    [1],
    [2],
    [0, 1],
    [0, 1, 2],
    [0, 1, 2],
  ]);
  const one = { time: 0, client: 'codex', outside: '', earliest: null, title: '', said: '', did: 'before' };
  assert.equal(originOf({ ...one, time: null }), 'Before.');
  assert.match(
    originOf({ ...one, title: 'tea', imported: 'codex, 2026-11-20' }),
    /from the conversation “tea” with codex, 2026-11-20\.$/,
  );
  assert.equal(originOf({ ...one, outside: 'away' }), 'While zkmem was not running.');
  assert.equal(
    originOf({ ...one, earliest: 0, title: 'tea', said: 'Not above 80' }),
    'codex (or an earlier edit: older texts are not kept), in the conversation that began with “tea”. ' +
      'You had said: “Not above 80”',
  );
});
