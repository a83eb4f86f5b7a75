// What to tidy: the findings by kind, each kind with its number.
import { html, useState } from '../vendor/ui.js';
import { api } from '../server/api.js';
import { EntryState } from './entry.js';
import { LISTS, Listing } from './lists.js';
import { ErrorMessage, Waiting, formatNumber, numberOf, useChanges, useLoad } from '../common/load.js';
import { When } from '../common/when.js';

/**
 * @import { Findings, SyncState } from '../messages.d.ts'
 * @import { MissingNote, Rows } from './lists.js'
 * @typedef {Findings['findings'][number]} Finding
 * @typedef {Findings['counts']} Counts
 * @typedef {Rows & { list: string, counts: Counts, complete: boolean }} Loaded
 */

const MOST = 1000;
const MOST_ASKED = 20; // missing notes whose history is asked for

/** The lists of what to tidy, each with its number in the answer. @type {Record<string, keyof Counts>} */
export const KINDS = {
  missing: 'missing',
  ambiguous: 'ambiguous',
  conflict: 'conflict',
  check: 'other',
  suggestions: 'suggestions',
};

/**
 * The findings of one kind; if `list` is null, those of the first kind that has some.
 * @param {{ list: string | null }} props
 */
export function Tidy({ list }) {
  const [first, setFirst] = useState(/** @type {Loaded | undefined} */ (undefined)); // what the index knows
  const {
    data = first,
    error,
    again,
  } = useLoad(async () => {
    if (!data) setFirst(await load(list, 'index'));
    return load(list, 'notes');
  }, [list]);
  useChanges(again);
  if (!data)
    return error ? html`<${ErrorMessage} error=${error} again=${again} />` : html`<${Waiting} what="the findings" />`;
  const shown = list ?? data.list;
  const waits = !data.complete && !error;
  const isShown = shown === data.list && (data.rows.length > 0 || !waits);
  const kinds = Object.entries(KINDS).filter(([key, counts]) => data.counts[counts] > 0 || key === shown);
  return html`<nav class="kinds" aria-label="What to tidy">
      ${kinds.map(
        ([key, counts]) => html`<a key=${key} href=${`#/list/${key}`}
          aria-current=${key === shown ? 'page' : undefined}
          >${LISTS[key].title}${' '}<span class="count">${formatNumber(data.counts[counts])}</span></a>`,
      )}
    </nav>
    <${EntryState} />
    <${Synchronisation} />
    ${waits && isShown && html`<${Waiting} what="the notes, which may have more to tidy" />`}
    <${Listing} key=${shown} list=${shown} data=${isShown ? data : undefined} error=${error}
      again=${again} />`;
}

/**
 * Fetch a list and the number of rows of each list in one request, because the server checks the whole vault for it.
 * @param {string | null} list
 * @param {'index' | 'notes'} look
 * @returns {Promise<Loaded>}
 */
async function load(list, look) {
  const { findings, kind, counts, complete } = await api.findings(kindOf(list), MOST, look);
  const shown = list ?? firstOf(counts);
  const total = counts[KINDS[shown]];
  const about = { list: shown, total, counts, complete };
  if (shown === 'suggestions') return { ...about, rows: (await api.suggestions(100)).suggestions };
  return { ...about, rows: kind === 'missing' ? withPast(byTarget(findings)) : findings };
}

const kindOf = (/** @type {string | null} */ list) => (list === null || list === 'suggestions' ? 'first' : KINDS[list]);

/** Return the first list that has rows. */
const firstOf = (/** @type {Counts} */ counts) => Object.keys(KINDS).find((key) => counts[KINDS[key]] > 0) ?? 'missing';

/** Return missing notes, the first ones marked so that their rows ask the server whether the note was deleted. */
const withPast = (/** @type {MissingNote[]} */ rows) => rows.map((row, at) => ({ ...row, asks: at < MOST_ASKED }));

/** Group findings by the target of their links, the most frequent first. */
export function byTarget(/** @type {Finding[]} */ findings) {
  /** @type {Map<string, MissingNote>} */
  const targets = new Map();
  for (const { note, target, choices } of findings) {
    const key = target.normalize().toLowerCase(); // as the server compares names
    const row = targets.get(key) ?? { target, notes: [], choices };
    if (!row.notes.includes(note)) row.notes.push(note);
    targets.set(key, row);
  }
  return [...targets.values()].sort((a, b) => b.notes.length - a.notes.length || a.target.localeCompare(b.target));
}

/** The state of the synchronisation with other machines: when it last succeeded, what waits, why it failed. */
function Synchronisation() {
  const { data, error, again } = useLoad(api.sync, []);
  useChanges(again);
  if (error) return html`<${ErrorMessage} error=${error} again=${again} />`;
  return data?.last && html`<${State} ...${data.last} />`;
}

/** @param {SyncState} props */
function State({ time, succeeded, remote, ahead, behind, offline, trouble }) {
  const waits = [ahead && `${numberOf(ahead, 'commit')} to push`, behind && `${numberOf(behind, 'commit')} to fetch`];
  return html`<section class="tidy-state" aria-label="Synchronisation">
    <p>${
      succeeded
        ? html`Last synchronised with ${remote}: <${When} time=${succeeded} />.`
        : `Not synchronised with ${remote} yet.`
    }${' '}${waits.filter(Boolean).join(', ') || 'Nothing waits'}.</p>
    ${offline && html`<p>Offline; last tried <${When} time=${time} />: ${offline}.</p>`}
    ${trouble && html`<p role="alert">The last attempt failed, <${When} time=${time} />: ${trouble}.</p>`}
  </section>`;
}
