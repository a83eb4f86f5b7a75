// The command palette: notes by their names, aliases and headings, tags, and every action, in one list (Ctrl K).
import { effect, html, useEffect, useLayoutEffect, useState } from '../vendor/ui.js';
import { actionsNow } from '../shell/actions.js';
import { api } from '../server/api.js';
import { statusOf } from '../server/error.js';
import { isolated } from '../common/bidi.js';
import { Dialog } from '../common/dialog.js';
import { useLoad } from '../common/load.js';
import { NAMES_ASKED, fit, parted, placeIn, ranked } from '../common/names.js';
import { go, noteHash, open, searchHash, tagHash } from '../navigation.js';
import { createOrRestore } from '../note/new.js';
import { useElement } from '../common/refs.js';
import { canWrite, paletteShown, route } from '../state.js';
import { showError } from '../common/toasts.js';

/**
 * @import * as Messages from '../messages.d.ts'
 * @typedef {{ id: string, title: string, detail?: string, keys?: string, act: () => unknown }} Row
 * @typedef {{ title: string, rows: Row[] }} Group
 * @typedef {{ query: string, names: string[], places: Messages.Places | null }} Answer
 */

const PAUSE_MS = 80; // without a key
const NAMES = 8;
const PLACES = 6; // of each kind
const TAGS_ALONE = 40; // after #
const RECENT = 6;
/** @type {Answer} */
const NOTHING = { query: '', names: [], places: null };

/** The notes that were opened last, the latest first. */
let recent = /** @type {string[]} */ ([]);
effect(() => {
  const { name, view } = route.value;
  if (name && view === 'note') recent = [name, ...recent.filter((one) => one !== name)].slice(0, RECENT + 1);
});

export const Palette = () => paletteShown.value && html`<${Box} />`;

function Box() {
  const [typed, setTyped] = useState('');
  const [chosen, setChosen] = useState({ typed: '', id: '' });
  const [hurried, setHurried] = useState(''); // Enter was pressed before the names for this text were there
  const [actions] = useState(actionsNow);
  const input = useElement(HTMLInputElement);
  const query = typed.trim();
  const answer = useAnswer(query);
  const isAnswered = query.startsWith('>') || answer.query === query;
  const { data: home } = useLoad(() => api.home(RECENT), []);
  const latest = (home?.recent ?? []).map(({ name }) => name);
  const groups = groupsOf(query, isAnswered ? answer : { ...NOTHING, query }, actions, latest);
  const rows = groups.flatMap((group) => group.rows);
  const isChosen = chosen.typed === typed && rows.some(({ id }) => id === chosen.id);
  const active = isChosen ? chosen.id : (rows[0]?.id ?? '');

  const close = () => (paletteShown.value = false);
  const choose = (/** @type {Row} */ row) => {
    close();
    setTimeout(row.act); // after the dialog has given the focus back
  };
  const step = (/** @type {number} */ by) => {
    const at = rows.findIndex(({ id }) => id === active);
    setChosen({
      typed,
      id: rows[(at + by + rows.length) % rows.length]?.id ?? '',
    });
  };
  useEffect(() => {
    if (hurried && hurried === query && isAnswered && rows[0]) choose(rows[0]);
  }, [hurried, query, isAnswered]);
  useLayoutEffect(() => document.getElementById(active)?.scrollIntoView({ block: 'nearest' }), [active]);

  const onKeyDown = (/** @type {KeyboardEvent} */ event) => {
    /** @type {Record<string, () => unknown>} */
    const keys = {
      ArrowDown: () => step(1),
      ArrowUp: () => step(-1),
      Enter: () => {
        const now = input.current.value.trim(); // a key may be newer than what is shown
        const row = isAnswered && now === query ? rows.find(({ id }) => id === active) : null;
        if (row) choose(row);
        else setHurried(now);
      },
    };
    if (!keys[event.key] || event.isComposing) return;
    event.preventDefault();
    keys[event.key]();
  };
  const onInput = () => {
    setTyped(input.current.value);
    setHurried('');
  };
  return html`<${Dialog} title="Commands" onClose=${close} kind="palette">
    <input
      ref=${input}
      data-first
      type="text"
      role="combobox"
      aria-label="Open a note or run a command"
      aria-autocomplete="list"
      aria-expanded="true"
      aria-controls="palette-rows"
      aria-activedescendant=${active}
      placeholder="Open a note or run a command"
      autocomplete="off"
      spellcheck=${false}
      enterkeyhint="go"
      value=${typed}
      onInput=${onInput}
      onKeyDown=${onKeyDown}
    />
    <div
      id="palette-rows"
      role="listbox"
      aria-label="Notes and commands"
      tabindex="-1"
      onMouseDown=${(/** @type {Event} */ event) => event.preventDefault()}
    >
      ${groups.map(
        ({ title, rows: list }) =>
          html`<div role="group" aria-label=${title} key=${title}>
            <div class="found-title" aria-hidden="true">${title}</div>
            ${list.map(
              (row) =>
                html`<${Option}
                  key=${row.id}
                  row=${row}
                  query=${query}
                  selected=${row.id === active}
                  choose=${() => choose(row)}
                />`,
            )}
          </div>`,
      )}
      ${
        !rows.length &&
        html`<div role="option" aria-disabled="true" class="nothing">
          ${isAnswered ? 'Nothing found.' : 'Searching…'}
        </div>`
      }
    </div>
    <p class="palette-help">
      <span><kbd>↑</kbd> <kbd>↓</kbd> choose</span
      ><span><kbd>Enter</kbd> open</span><span><kbd>Esc</kbd> close</span
      ><span><kbd>></kbd> only commands</span
      ><span><kbd>#</kbd> only tags</span>
    </p>
    <span class="unseen" role="status"
      >${isAnswered && query ? `${rows.length} found` : ''}</span
    >
  <//>`;
}

/** @param {{ row: Row, query: string, selected: boolean, choose: () => void }} props */
function Option({ row: { id, title, detail, keys }, query, selected, choose }) {
  return html`<div
    id=${id}
    role="option"
    aria-selected=${selected}
    onClick=${choose}
  >
    <span class="row-title" dir="auto"
      >${marked(title, query.replace(/^[>#]\s*/, ''))}</span
    >
    ${detail && html`<span class="row-detail" dir="auto">${detail}</span>`}
    ${keys && html`<kbd>${keys}</kbd>`}
  </div>`;
}

/** Return a text in which the best place that has the query is marked. */
function marked(/** @type {string} */ text, /** @type {string} */ query) {
  const at = query ? placeIn(text, query) : -1;
  const end = at + query.length;
  return at < 0 ? text : html`${text.slice(0, at)}<b>${text.slice(at, end)}</b>${text.slice(end)}`;
}

/**
 * Return the rows for a query, by kind; a kind without rows is left out.
 * @param {string} query
 * @param {Answer} answer
 * @param {ReturnType<typeof actionsNow>} actions
 * @param {string[]} latest the notes that changed last
 * @returns {Group[]}
 */
function groupsOf(query, { names, places }, actions, latest) {
  const sought = query.replace(/^>\s*/, '').toLowerCase();
  const wanted = sought.split(/\s+/).filter(Boolean);
  const fits = (/** @type {string} */ title) => wanted.every((word) => title.toLowerCase().includes(word));
  /** @type {Group} */
  const commands = {
    title: 'Commands',
    rows: actions
      .filter(({ title }) => fits(title))
      .toSorted((one, other) => fit(one.title, sought) - fit(other.title, sought))
      .map(({ title, key, hint, act }) => ({
        id: `action-${title}`,
        title,
        keys: key ?? hint,
        act,
      })),
  };
  const tags = { title: 'Tags', rows: (places?.tags ?? []).map(tagRow) };
  if (query.startsWith('#')) return filled([tags]);
  if (query.startsWith('>')) return filled([commands]);
  const notes = {
    title: query ? 'Notes' : 'Opened last',
    rows: (query ? names : others(recent)).map(noteRow),
  };
  const best = (/** @type {Row[]} */ rows) => Math.min(...rows.map(({ title }) => fit(title, sought)));
  const begins = commands.rows.some(({ title }) => title.toLowerCase().startsWith(wanted[0]));
  const isCommand = (query.length > 2 && begins) || best(commands.rows) < best(notes.rows);
  const isNew = query && canWrite(query) && !names.some((name) => name.toLowerCase() === query.toLowerCase());
  const first = !query || isCommand ? [commands, notes] : [notes, commands];
  const opened = others(recent);
  const changed = { title: 'Changed last', rows: others(latest.filter((name) => !opened.includes(name))).map(noteRow) };
  return filled([
    ...(query ? first : [notes, changed, commands]),
    { title: 'Aliases', rows: (places?.aliases ?? []).map(aliasRow) },
    { title: 'Headings', rows: (places?.headings ?? []).map(headingRow) },
    tags,
    { title: 'New', rows: isNew ? [newRow(query)] : [] },
    { title: 'Search', rows: query ? [searchRow(query)] : [] },
  ]);
}

const filled = (/** @type {Group[]} */ groups) => groups.filter(({ rows }) => rows.length);
const others = (/** @type {string[]} */ names) => names.filter((name) => name !== route.peek().name).slice(0, RECENT);

/** @returns {Row} */
function noteRow(/** @type {string} */ name) {
  const { folders, last } = parted(name);
  return { id: `note-${name}`, title: last, detail: folders, act: () => open(name) };
}

/** @returns {Row} */
const aliasRow = (/** @type {Messages.Places['aliases'][number]} */ { text, name }) => ({
  id: `alias-${text}-${name}`,
  title: text,
  detail: name,
  act: () => open(name),
});

/** @returns {Row} */
const headingRow = (/** @type {Messages.Places['headings'][number]} */ { text, name, subpath }) => ({
  id: `heading-${name}-${subpath}`,
  title: text,
  detail: name,
  act: () => go(noteHash(name, subpath)),
});

/** @returns {Row} */
const tagRow = (/** @type {Messages.Places['tags'][number]} */ { tag, notes }) => ({
  id: `tag-${tag}`,
  title: `#${tag}`,
  detail: String(notes),
  act: () => go(tagHash(tag)),
});

/** @returns {Row} */
const searchRow = (/** @type {string} */ query) => ({
  id: 'search-all',
  title: 'All results',
  detail: 'in the texts of notes, too',
  act: () => go(searchHash(query)),
});

/** @returns {Row} */
const newRow = (/** @type {string} */ name) => ({
  id: 'new',
  title: `Create “${isolated(name)}”`,
  detail: 'a new note',
  act: () => createOrRestore(name),
});

/** Return what the server knows of a query: first names, which are fast, then aliases, headings and tags. */
function useAnswer(/** @type {string} */ query) {
  const [answer, setAnswer] = useState(NOTHING);
  useEffect(() => {
    if (query.startsWith('>')) return;
    if (!query) return setAnswer(NOTHING);
    const stop = new AbortController();
    const timer = setTimeout(() => ask(query, stop.signal, setAnswer).catch(failed), PAUSE_MS);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [query]);
  return answer;
}

/**
 * @param {string} query
 * @param {AbortSignal} signal
 * @param {(answer: Answer) => void} show
 */
async function ask(query, signal, show) {
  const isTag = query.startsWith('#');
  const places = api.places(query, isTag ? TAGS_ALONE : PLACES, signal);
  places.catch(() => {}); // it is awaited below; an error of the names comes first
  if (isTag) return show({ query, names: [], places: await places });
  const names = ranked((await api.names(query, NAMES_ASKED, signal)).names, query).slice(0, NAMES);
  show({ query, names, places: null });
  show({ query, names, places: await places });
}

function failed(/** @type {Error} */ error) {
  if (error.name !== 'AbortError' && statusOf(error) !== 422) showError(error);
}
