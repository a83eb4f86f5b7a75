// What the graph does not say of a note: its times, its tags, and who wrote it last. Fetched when somebody asks for it,
// a thousand notes at a time, so that the first picture does not wait for it.
import { effect, untracked } from '../vendor/ui.js';
import { request } from '../server/api.js';
import { changed, facts } from '../state.js';
import { showError } from '../common/toasts.js';

/**
 * @import * as Messages from '../messages.d.ts'
 * @typedef {object} Fact
 * @property {number} created milliseconds since 1970: the date in the properties or the name, else the last change
 * @property {number} changed when the file was changed
 * @property {string[]} tags without #
 * @property {string} writer the client of the last edit that the server knows; '' for none
 * @typedef {Map<string, Fact>} Facts by the name of the note
 */

const AT_ONCE = 1000;
const EDITS = 500;
const COLUMNS = JSON.stringify(['file.ctime', 'file.mtime', 'file.tags']);
const AGAIN_MS = 1500; // the server indexes many notes in the background
const MOST_TIMES = 40;

const PAUSE_MS = 1000; // between two pictures while a model writes many notes

let loading = false;
let waiting = /** @type {Map<string, string | null>} */ (new Map()); // the notes that changed, and who changed them

/** Fetch the facts, unless they are there; `anew` fetches them again, and the old ones stay until then. */
export async function loadFacts(anew = false) {
  if (loading || (facts.peek() && !anew)) return;
  loading = true;
  try {
    facts.value = withWriters(await loadTable(), await json('log', { count: EDITS }));
  } finally {
    loading = false;
  }
}

effect(() => {
  const { names, by, at } = changed.value;
  if (at === 0 || !untracked(() => facts.value)) return;
  if (names === null) loadFacts(true).catch(showError);
  else collect(names, by);
});

/**
 * Take over soon that notes have changed just now.
 * @param {string[]} names
 * @param {string | null} by
 */
function collect(names, by) {
  if (!waiting.size) setTimeout(takeOver, PAUSE_MS);
  for (const name of names) waiting.set(name, by);
}

function takeOver() {
  const [known, now, changes] = [facts.peek(), Date.now(), waiting];
  waiting = new Map();
  if (!known) return;
  const next = new Map(known);
  for (const [name, by] of changes) {
    const fact = known.get(name) ?? { created: now, tags: [], writer: '' };
    next.set(name, { ...fact, changed: now, writer: by ?? fact.writer });
  }
  facts.value = next;
}

/** Forget the facts of notes that are gone. */
export function keepFacts(/** @type {string[]} */ names) {
  const known = facts.peek();
  if (!known || known.size === names.length) return;
  const there = new Set(names);
  facts.value = new Map([...known].filter(([name]) => there.has(name)));
}

async function loadTable() {
  /** @type {Facts} */
  const found = new Map();
  let from = /** @type {number | null} */ (0);
  let times = 1;
  while (from !== null) {
    const { rows, next, remarks } = /** @type {Messages.Table} */ (
      await json('table', { columns: COLUMNS, count: AT_ONCE, from })
    );
    if (remarks.length && next === null && times < MOST_TIMES) {
      times += 1;
      await new Promise((over) => setTimeout(over, AGAIN_MS));
      from = 0;
      continue;
    }
    for (const { note, cells } of rows) found.set(note, factOf(cells));
    from = next;
  }
  return found;
}

/** @returns {Fact} */
function factOf(/** @type {Messages.Table['rows'][number]['cells']} */ cells) {
  const [created, saved] = cells.map(({ text }) => Date.parse(text.replace(' ', 'T')) || 0);
  const tags = cells[2].text.split(/,\s*/).filter(Boolean);
  return { created, changed: saved, tags: tags.map((tag) => tag.slice(1)), writer: '' };
}

/**
 * @param {Facts} found
 * @param {Messages.Edits} log the newest edit first
 */
function withWriters(found, { edits }) {
  for (const { client, notes } of edits.toReversed()) {
    for (const name of notes) {
      const fact = found.get(name);
      if (fact) fact.writer = client;
    }
  }
  return found;
}

const json = async (/** @type {string} */ path, /** @type {Record<string, unknown>} */ params) =>
  (await request(path, { params })).json();

/**
 * Return how many notes have each value, the most frequent first.
 * @param {Facts | null} known
 * @param {(fact: Fact) => string[]} values
 */
export function frequencies(known, values) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const fact of known?.values() ?? []) {
    for (const value of values(fact)) counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  return [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
}
