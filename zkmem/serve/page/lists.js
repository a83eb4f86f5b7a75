// The work lists: where to start, what to tidy, what is missing, what is ambiguous, and whatever else was found.
import { html } from './vendor/ui.js';
import { api } from './api.js';
import { Trouble, Waiting, counted, number, useLive, useLoad, walk } from './load.js';
import { canWrite, noteHash } from './state.js';

const MOST = 1000;

const findings = (kind) => () => api.get('findings', { kind, count: MOST });

export const LISTS = {
  hints: {
    title: 'Where to start',
    about: 'The notes of most weight: others are woven back into them.',
    load: () => api.get('hints', { count: 100 }).then(({ hints }) => ({ rows: hints })),
    Row: ({ name, weight, links, backlinks }) =>
      html`<${Open} name=${name} /> <span
        class="meta">weight ${number(weight)} · ${counted(links, 'link')} · ${counted(backlinks, 'backlink')}</span>`,
  },
  suggestions: {
    title: 'What to tidy',
    about: 'Long notes with little weight: split them, or link them.',
    load: () => api.get('suggestions', { count: 100 }).then(({ suggestions }) => ({ rows: suggestions })),
    Row: ({ name, value, weight, characters }) =>
      html`<${Open} name=${name} /> <span
        class="meta">${value.toPrecision(2)} · weight ${number(weight)} · ${counted(characters, 'character')}</span>`,
  },
  missing: {
    title: 'Missing notes',
    about: 'Links that lead nowhere, by what they name.',
    load: () =>
      findings('missing')().then(({ findings: found, total }) => ({ rows: byTarget(found), total, unit: 'link' })),
    Row: Missing,
  },
  ambiguous: {
    title: 'Ambiguous links',
    about: 'Links that could mean several notes.',
    load: () => findings('ambiguous')().then(({ findings: found, total }) => ({ rows: found, total })),
    Row: Finding,
  },
  check: {
    title: 'Other findings',
    about: 'Files that cannot be read, odd names and properties, twins.',
    load: () => findings()().then(({ findings: found }) => ({ rows: found.filter(({ kind }) => !(kind in LISTS)) })),
    Row: Finding,
  },
};

export function Lists({ list }) {
  const { title, about, load, Row } = LISTS[list] ?? LISTS.hints;
  const { data, error, again } = useLoad(load, [list]);
  useLive(again);
  const rows = data?.rows ?? [];
  return html`<article class="lists">
    <h2 class="title" tabindex="-1">${title} ${data && html`<span class="count">${rows.length}</span>`}</h2>
    <p class="quiet">${about}</p>
    <${Trouble} error=${error} again=${again} />
    ${!data && !error && html`<${Waiting} />`}
    ${data && !rows.length && html`<p class="empty">Nothing to do here.</p>`}
    <ul class="rows" onKeyDown=${walk} aria-label=${title}>
      ${rows.map(
        (row, index) => html`<li
        key=${`${row.name ?? row.note ?? row.target} ${row.detail ?? ''} ${index}`}><${Row} ...${row} /></li>`,
      )}
    </ul>
    ${data?.total > MOST && html`<p class="quiet">The first ${MOST} of ${number(data.total)} are shown.</p>`}
  </article>`;
}

const Open = ({ name, text = name }) => html`<a href=${noteHash(name)} data-row>${text}</a>`;

function Finding({ kind, note, detail }) {
  return html`<${Open} name=${note} /> <span class="tag">${kind}</span> <span class="meta">${detail}</span>`;
}

function Missing({ target, notes, advice }) {
  return html`<span class="missing"><${Open} name=${target} /></span>
    <a class="tag" href=${noteHash(target)}>${canWrite(target) ? 'create' : 'not written yet'}<span
      class="unseen"> ${target}</span></a>
    <span class="meta">named
      in ${notes.map(
        (note, index) => html`${index > 0 && ', '}<a key=${note}
        href=${noteHash(note)}>${note}</a>`,
      )}${advice && html` ${advice}`}</span>`;
}

/** Groups findings by the target of their links, most frequent first; the detail is `[[target]] (advice)`. */
function byTarget(found) {
  const targets = new Map();
  for (const { note, target, detail } of found) {
    const row = targets.get(target) ?? { target, notes: [], advice: detail.slice(target.length + 4).trim() };
    row.notes.push(note);
    targets.set(target, row);
  }
  return [...targets.values()].sort((a, b) => b.notes.length - a.notes.length || a.target.localeCompare(b.target));
}
