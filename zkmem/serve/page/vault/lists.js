// The lists of notes, tables and findings.
import { html, useState } from '../vendor/ui.js';
import { api } from '../server/api.js';
import { clientOf, pastOf, restored } from '../history/past.js';
import { create } from '../note/new.js';
import { ErrorMessage, Waiting, formatNumber, moveInList, numberOf, useChanges, useLoad } from '../common/load.js';
import { baseHash, noteHash } from '../navigation.js';
import { useAction } from '../common/preview.js';
import { canWrite } from '../state.js';
import { toast } from '../common/toasts.js';
import { When } from '../common/when.js';

/**
 * @import * as Messages from '../messages.d.ts'
 * @import { ComponentChildren } from '../vendor/ui.js'
 * @typedef {Messages.Findings['findings'][number]} Finding
 * @typedef {Messages.Hints['hints'][number]} Hint
 * @typedef {Messages.Suggestions['suggestions'][number]} Suggestion
 * @typedef {{ target: string, notes: string[], choices: string[], asks?: boolean }} MissingNote
 * @typedef {{ rows: unknown[], total: number }} Rows
 * @typedef {{ again: () => void }} Again
 */

const MOST_TAGGED = 1000;
const PART = 100; // rows that are shown at once: a thousand would take the browser a second

/**
 * @template Row
 * @typedef {{ title: string, about: string, key: (row: Row) => string, Row: (row: Row & Again) => unknown }} List
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
    key: ({ name }) => name,
    Row: (/** @type {Hint & { share: number }} */ { name, share, links, backlinks }) =>
      html`${figures(name, numberOf(links, 'link'), numberOf(backlinks, 'backlink'))}
        <span class="weight" style=${{ '--share': share }} aria-hidden="true"></span>`,
  }),
  suggestions: list({
    title: 'Suggestions',
    about: 'Long notes with little weight: split them, or link to them.',
    key: ({ name }) => name,
    Row: (/** @type {Suggestion} */ { name, characters }) => figures(name, numberOf(characters, 'character')),
  }),
  missing: list({
    title: 'Missing notes',
    about: 'Links to notes that do not exist, by the name that they use.',
    key: ({ target }) => target,
    Row: Missing,
  }),
  ambiguous: list({
    title: 'Ambiguous links',
    about: 'Links that could mean several notes.',
    key: findingKey,
    Row: Ambiguous,
  }),
  conflict: list({
    title: 'Conflicts',
    about: 'Lines that two machines wrote differently: open the note to keep one version.',
    key: findingKey,
    Row: Finding,
  }),
  check: list({
    title: 'Other findings',
    about: 'Files that cannot be read, unusual names and properties, notes with the same name.',
    key: findingKey,
    Row: Finding,
  }),
  bases: list({
    title: 'Tables',
    about: "The .base files of the vault: tables of notes by their properties, as in Obsidian's Bases.",
    key: ({ path }) => path,
    Row: (/** @type {Messages.Bases['bases'][number]} */ { path, views }) =>
      html`<a href=${baseHash(path)} data-row>${path}</a> <span class="meta">${views.join(' · ')}</span>`,
  }),
};

/** @type {Record<string, () => Promise<unknown[]>>} */
const LOADS = {
  hints: () => api.hints(100).then(({ hints }) => withShares(hints)),
  bases: () => api.bases().then(({ bases }) => bases),
};

/** @param {{ list: string | null }} props */
export function Lists({ list: name }) {
  const known = name && name in LOADS ? name : 'hints';
  const { data, error, again } = useLoad(() => LOADS[known]().then((rows) => ({ rows, total: rows.length })), [known]);
  useChanges(again);
  return html`<${Listing} list=${known} data=${data} error=${error} again=${again} />`;
}

/**
 * The rows of a list, of which there may be more in all; without data, that they are loaded.
 * @param {{ list: string, data?: Rows, error?: Error } & Again} props
 */
export function Listing({ list: name, data, error, again }) {
  const { title, about, key, Row } = LISTS[name];
  const [count, setCount] = useState(PART);
  const rows = data?.rows ?? [];
  const more = Math.min(PART, rows.length - count);
  return html`<article class="lists">
    <h2 class="title" tabindex="-1">${title} ${
      data && html`<span class="count">${formatNumber(data.total)}</span>`
    }</h2>
    <p class="quiet">${about}</p>
    <${ErrorMessage} error=${error} again=${again} />
    ${!data && !error && html`<${Waiting} />`}
    ${data && !rows.length && html`<p class="empty">Nothing to do here.</p>`}
    <ul class="rows" onKeyDown=${moveInList} aria-label=${title}>
      ${rows
        .slice(0, count)
        .map((row, index) => html`<li key=${`${key(row)} ${index}`}><${Row} ...${row} again=${again} /></li>`)}
    </ul>
    ${more > 0 && html`<button type="button" onClick=${() => setCount(count + PART)}>Show ${more} more</button>`}
    ${
      data &&
      more <= 0 &&
      data.total > rows.length &&
      html`<p class="quiet">The first ${formatNumber(rows.length)} of ${formatNumber(data.total)} are shown.</p>`
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

function Missing(/** @type {MissingNote & Again} */ { target, notes, choices, asks, again }) {
  const own = notes.filter(canWrite);
  const { data: past } = useLoad(async () => (asks ? pastOf(target) : null), [target, asks]);
  const { edit, now, rev } = past ?? {};
  const { act, busy, error } = useAction(async () => {
    await restored(target, rev ?? '');
    again();
  });
  return html`<span class="missing"><${Open} name=${target} /></span>
    <span class="meta">linked from ${notes.map(
      (note, index) => html`${index > 0 && ', '}<a key=${note} href=${noteHash(note)}>${note}</a>`,
    )}</span>
    ${now && html`<span class="meta">It is called <a href=${noteHash(now)}>${now}</a> now.</span>`}
    ${
      edit &&
      !now &&
      html`<span class="meta">Last edit, by ${clientOf(edit)} <${When} time=${edit.time} />: ${edit.title}</span>`
    }
    <div class="mends">
      ${
        rev &&
        canWrite(target) &&
        html`<button type="button" class="primary" onClick=${act} disabled=${busy}>
          Restore<span class="unseen">${` ${target}`}</span></button>`
      }
      <${ErrorMessage} error=${error} />
      ${
        canWrite(target) &&
        html`<button type="button" onClick=${() => create(target)}>
          Create<span class="unseen">${` ${target}`}</span></button>`
      }
      ${
        own.length > 0 &&
        choices.map(
          (to) => html`<span class="meta">Did you mean <a href=${noteHash(to)}>${to}</a>?</span>
            <${Repoint} key=${to} names=${own} target=${target} to=${to} again=${again}>${`Link to ${to}`}<//>`,
        )
      }
    </div>`;
}

function Ambiguous(/** @type {Finding & Again} */ { note, target, choices, again }) {
  return html`<${Open} name=${note} /> <span class="meta">The link <b>${target}</b> means ${choices[0]} now. Let it
    always mean:</span>
    <div class="mends">
      ${
        canWrite(note) &&
        choices.map(
          (to) => html`<${Repoint} key=${to} names=${[note]} target=${target} to=${to}
        again=${again}>${to}<//>`,
        )
      }
    </div>`;
}

/**
 * A button that lets the links of some notes mean another note.
 * @param {{ names: string[], target: string, to: string, again: () => void, children: ComponentChildren }} props
 */
function Repoint({ names, target, to, again, children }) {
  const { act, busy, error } = useAction(async () => {
    const { changed, remarks } = await api.repoint({ names, target, to });
    toast([`The link leads to ${to} now, in ${numberOf(changed.length, 'note')}.`, ...remarks].join(' '));
    again();
  });
  return html`<button type="button" onClick=${act} disabled=${busy}>${children}</button><${ErrorMessage}
    error=${error} />`;
}

/** Return hints with their weight as a share of the greatest. */
function withShares(/** @type {Hint[]} */ hints) {
  const most = Math.max(...hints.map(({ weight }) => weight));
  return hints.map((hint) => ({ ...hint, share: hint.weight / most }));
}

/**
 * The notes that have a tag, or a tag nested in it.
 * @param {{ tag: string }} props
 */
export function Tag({ tag }) {
  const { data, error, again } = useLoad(
    () => api.search(`tag:"${tag.replaceAll('"', '')}"`, MOST_TAGGED, new AbortController().signal),
    [tag],
  );
  useChanges(again);
  const hits = [...(data?.hits ?? [])].sort((one, other) => one.name.localeCompare(other.name));
  return html`<article class="lists">
    <h2 class="title" tabindex="-1">#${tag} ${data && html`<span class="count">${hits.length}</span>`}</h2>
    <p class="quiet">The notes with this tag, or with one nested in it.</p>
    <${ErrorMessage} error=${error} again=${again} />
    ${!data && !error && html`<${Waiting} />`}
    ${data && !hits.length && html`<p class="empty">No note has this tag.</p>`}
    <ul class="rows" onKeyDown=${moveInList} aria-label=${`Notes with the tag ${tag}`}>
      ${hits.map(({ name }) => html`<li key=${name}><a href=${noteHash(name)} data-row>${name}</a></li>`)}
    </ul>
    ${hits.length === MOST_TAGGED && html`<p class="quiet">At most ${MOST_TAGGED} are shown.</p>`}
  </article>`;
}
