// The lists: where to start, what to tidy, missing notes, ambiguous links, conflicts, and other findings.
import { html } from './vendor/ui.js';
import { api } from './api.js';
import { ErrorMessage, Waiting, formatNumber, moveInList, numberOf, useChanges, useLoad } from './load.js';
import { baseHash, noteHash } from './navigation.js';
import { canWrite } from './state.js';
import { Synchronisation } from './synchronisation.js';

/**
 * @import * as Messages from './messages.d.ts'
 * @typedef {Messages.Findings['findings'][number]} Finding
 * @typedef {Messages.Hints['hints'][number]} Hint
 * @typedef {Messages.Suggestions['suggestions'][number]} Suggestion
 * @typedef {{ target: string, notes: string[], advice: string }} MissingNote
 */

const MOST = 1000;

/**
 * @template Row
 * @typedef {{ title: string, about: string, load: () => Promise<{ rows: Row[], total?: number }>,
 *   key: (row: Row) => string, Row: (row: Row) => unknown, Above?: () => unknown }} List
 */

/**
 * Return a list; the type of its rows is known inside it only.
 * @template Row
 * @param {List<Row>} one
 */
const list = (one) => /** @type {List<unknown>} */ (one);

/** @type {Record<string, List<unknown>>} */
export const LISTS = {
  hints: list({
    title: 'Where to start',
    about: 'The notes with the most weight: many other notes lead to them.',
    load: () => api.hints(100).then(({ hints }) => ({ rows: hints })),
    key: ({ name }) => name,
    Row: (/** @type {Hint} */ { name, weight, links, backlinks }) =>
      figures(name, `weight ${formatNumber(weight)}`, numberOf(links, 'link'), numberOf(backlinks, 'backlink')),
  }),
  suggestions: list({
    title: 'What to tidy',
    about: 'Long notes with little weight: split them, or link to them.',
    load: () => api.suggestions(100).then(({ suggestions }) => ({ rows: suggestions })),
    key: ({ name }) => name,
    Row: (/** @type {Suggestion} */ { name, value, weight, characters }) =>
      figures(name, value.toPrecision(2), `weight ${formatNumber(weight)}`, numberOf(characters, 'character')),
  }),
  missing: list({
    title: 'Missing notes',
    about: 'Links to notes that do not exist, by the name that they use.',
    load: () => findings('missing').then(({ rows, total }) => ({ rows: byTarget(rows), total })),
    key: ({ target }) => target,
    Row: Missing,
  }),
  ambiguous: list({
    title: 'Ambiguous links',
    about: 'Links that could mean several notes.',
    load: () => findings('ambiguous'),
    key: findingKey,
    Row: Finding,
  }),
  conflict: list({
    title: 'Conflicts',
    about: 'Lines that two machines wrote differently: open the note to keep one version.',
    load: () => findings('conflict'),
    key: findingKey,
    Row: Finding,
    Above: Synchronisation,
  }),
  check: list({
    title: 'Other findings',
    about: 'Files that cannot be read, unusual names and properties, notes with the same name.',
    load: () => findings(null).then(({ rows }) => ({ rows: rows.filter(({ kind }) => !(kind in LISTS)) })),
    key: findingKey,
    Row: Finding,
  }),
  bases: list({
    title: 'Tables',
    about: "The .base files of the vault: tables of notes by their properties, as in Obsidian's Bases.",
    load: () => api.bases().then(({ bases }) => ({ rows: bases })),
    key: ({ path }) => path,
    Row: (/** @type {Messages.Bases['bases'][number]} */ { path, views }) =>
      html`<a href=${baseHash(path)} data-row>${path}</a> <span class="meta">${views.join(' · ')}</span>`,
  }),
};

const findings = (/** @type {string | null} */ kind) =>
  api.findings(kind, MOST).then((response) => ({ rows: response.findings, total: response.total }));

/** @param {{ list: string | null }} props */
export function Lists({ list: name }) {
  const { title, about, load, key, Row, Above } = LISTS[name ?? ''] ?? LISTS.hints;
  const { data, error, again } = useLoad(load, [name]);
  useChanges(again);
  const rows = data?.rows ?? [];
  return html`<article class="lists">
    <h2 class="title" tabindex="-1">${title} ${data && html`<span class="count">${rows.length}</span>`}</h2>
    <p class="quiet">${about}</p>
    ${Above && html`<${Above} />`}
    <${ErrorMessage} error=${error} again=${again} />
    ${!data && !error && html`<${Waiting} />`}
    ${data && !rows.length && html`<p class="empty">Nothing to do here.</p>`}
    <ul class="rows" onKeyDown=${moveInList} aria-label=${title}>
      ${rows.map((row, index) => html`<li key=${`${key(row)} ${index}`}><${Row} ...${row} /></li>`)}
    </ul>
    ${
      data?.total !== undefined &&
      data.total > MOST &&
      html`<p class="quiet">The first ${MOST} of ${formatNumber(data.total)} are shown.</p>`
    }
  </article>`;
}

const figures = (/** @type {string} */ name, /** @type {string[]} */ ...values) =>
  html`<${Open} name=${name} /> <span class="meta">${values.join(' · ')}</span>`;

/** @param {{ name: string, text?: string }} props */
const Open = ({ name, text = name }) => html`<a href=${noteHash(name)} data-row>${text}</a>`;

function findingKey(/** @type {Finding} */ { note, detail }) {
  return `${note} ${detail}`;
}

function Finding(/** @type {Finding} */ { kind, note, detail }) {
  return html`<${Open} name=${note} /> <span class="tag">${kind}</span> <span class="meta">${detail}</span>`;
}

function Missing(/** @type {MissingNote} */ { target, notes, advice }) {
  return html`<span class="missing"><${Open} name=${target} /></span>
    <a class="tag" href=${noteHash(target)}>${canWrite(target) ? 'create' : 'not written yet'}<span
      class="unseen"> ${target}</span></a>
    <span class="meta">named
      in ${notes.map(
        (note, index) => html`${index > 0 && ', '}<a key=${note}
        href=${noteHash(note)}>${note}</a>`,
      )}${advice && html` ${advice}`}</span>`;
}

/** Group findings by the target of their links, the most frequent first; a detail is `[[target]] (advice)`. */
function byTarget(/** @type {Finding[]} */ rows) {
  /** @type {Map<string, MissingNote>} */
  const targets = new Map();
  for (const { note, target, detail } of rows) {
    const row = targets.get(target) ?? { target, notes: [], advice: detail.slice(target.length + 4).trim() };
    row.notes.push(note);
    targets.set(target, row);
  }
  return [...targets.values()].sort((a, b) => b.notes.length - a.notes.length || a.target.localeCompare(b.target));
}
