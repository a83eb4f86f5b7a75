// The search box: names that match, notes whose text matches, and notes that these link to, in one list.
import { html, useEffect, useState } from '../vendor/ui.js';
import { api } from '../server/api.js';
import { statusOf } from '../server/error.js';
import { NAMES_ASKED, parted, ranked } from '../common/names.js';
import { go, noteHash, searchHash } from '../navigation.js';
import { useElement } from '../common/refs.js';
import { showError } from '../common/toasts.js';

/**
 * @typedef {{ name: string, href?: string, snippet?: string, words?: string[], date?: string,
 *   date_source?: string }} Hit `href`: an address in place of that of the note
 * @typedef {{ query: string | null, names: string[], hits: Hit[], linked: string[], remarks: string[],
 *   isFull: boolean }} Results `isFull`: there may be more hits
 */

const NAMES = 8;
const HITS = 12;
const PAUSE_MS = 120;

export function SearchBox() {
  const [query, setQuery] = useState('');
  const results = useResults(query);
  const [chosen, setChosen] = useState({ results, at: -1 });
  const active = chosen.results === results ? chosen.at : -1; // newer results have other rows
  const setActive = (/** @type {number} */ at) => setChosen({ results, at });
  const [shown, setShown] = useState(false);
  const input = useElement(HTMLInputElement);
  const texts = results.names.length; // where the hits begin
  const links = texts + results.hits.length;
  const rest = links + results.linked.length;
  const all = { name: 'All results', href: searchHash(query.trim()) };
  /** @type {Hit[]} */
  const options = [...results.names.map(named), ...results.hits, ...results.linked.map(named), all];
  const expanded = shown && results.query !== null;

  useEffect(() => document.getElementById(`found-${active}`)?.scrollIntoView({ block: 'nearest' }), [active]);

  const choose = (/** @type {Hit} */ option) => {
    setShown(false);
    setQuery(''); // the note is open, so the search is over
    input.current.blur();
    go(option.href ?? noteHash(option.name));
  };
  const onKeyDown = (/** @type {KeyboardEvent} */ event) => {
    const last = options.length - 1;
    /** @type {Record<string, () => unknown>} */
    const keys = {
      ArrowDown: () => (setShown(true), setActive(active >= last ? 0 : active + 1)),
      ArrowUp: () => (setShown(true), setActive(active <= 0 ? last : active - 1)),
      Enter: () => results.query !== null && results.query === query.trim() && choose(options[Math.max(active, 0)]),
      Escape: () => (expanded ? setShown(false) : setQuery('')),
    };
    if (!keys[event.key] || event.isComposing) return;
    event.preventDefault();
    event.stopPropagation();
    keys[event.key]();
  };
  const group = (/** @type {string} */ title, /** @type {number} */ first, /** @type {Hit[]} */ list) =>
    list.length > 0 &&
    html`<div role="group" aria-label=${title}>
    <div class="found-title" aria-hidden="true">${title}</div>
    ${list.map(
      (option, at) => html`<${Option} key=${option.name} id=${`found-${first + at}`} option=${option}
      selected=${first + at === active} choose=${() => choose(option)} />`,
    )}
  </div>`;

  return html`<div class="search" role="search">
    <input ref=${input} id="search" type="search" role="combobox" placeholder="Search notes" aria-label="Search notes"
      aria-autocomplete="list" aria-expanded=${expanded} aria-controls="found" autocomplete="off" spellcheck=${false}
      aria-activedescendant=${expanded && active >= 0 ? `found-${active}` : undefined} value=${query}
      onInput=${() => (setQuery(input.current.value), setShown(true))} onKeyDown=${onKeyDown}
      onFocus=${() => setShown(true)} onBlur=${() => setShown(false)} />
    <kbd aria-hidden="true">/</kbd>
    <div id="found" role="listbox" aria-label="Notes found" hidden=${!expanded}
      onMouseDown=${(/** @type {Event} */ event) => event.preventDefault()}>
      ${results.remarks.map((remark) => html`<div role="option" aria-disabled="true" class="nothing">${remark}</div>`)}
      ${group('Names', 0, options.slice(0, texts))}
      ${group('Text', texts, results.hits)}
      ${group('Linked from these', links, options.slice(links, rest))}
      ${results.query && group('Everything', rest, [all])}
    </div>
    <span class="unseen" role="status">${expanded && results.query ? `${rest} found` : ''}</span>
  </div>`;
}

/** @returns {Hit} */
const named = (/** @type {string} */ name) => ({ name });

/** @param {{ id: string, option: Hit, selected: boolean, choose: () => void }} props */
function Option({ id, option, selected, choose }) {
  const { folders, last } = parted(option.name);
  return html`<div id=${id} role="option" aria-selected=${selected} onClick=${choose}>
    <div class="found-name">${folders && html`<small>${folders}</small>`}${last}<${HitDate} ...${option} /></div>
    <${Passage} ...${option} />
  </div>`;
}

/** @param {Hit} props */
export const HitDate = ({ date, date_source: source }) =>
  date && html`<time dateTime=${date}>${source === 'file' && 'changed '}${date}</time>`;

/**
 * The passage of a hit, with the words that match.
 * @param {Hit} props
 */
export const Passage = ({ snippet, words = [] }) =>
  snippet && html`<div class="found-text" dir="auto">${marked(snippet, words)}</div>`;

/** Return a text with its matching words marked; `words` are in lower case and without accents. */
function marked(/** @type {string} */ text, /** @type {string[]} */ words) {
  const plain = (/** @type {string} */ part) =>
    part.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().replaceAll('ς', 'σ');
  const wanted = new Set(words);
  const pairs = words.filter((word) => HAN.test(word)); // in scripts without blanks, words are pairs of characters
  const parts = text.split(pairs.length ? new RegExp(`(${pairs.join('|')}|[\\p{L}\\p{M}\\p{N}]+)`, 'u') : WORD);
  return parts.map((part) => (wanted.has(plain(part)) ? html`<mark>${part}</mark>` : part));
}
const WORD = /([\p{L}\p{M}\p{N}]+)/u;
const HAN = /^[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}]{1,2}$/u;

/** @type {Results} */
const NOTHING = { query: null, names: [], hits: [], linked: [], remarks: [], isFull: false };

/** Return the results for a query: names, notes whose text has the words, notes that these link to; no note twice. */
function useResults(/** @type {string} */ query) {
  const [results, setResults] = useState(NOTHING);
  const wanted = query.trim();
  useEffect(() => {
    if (!wanted) return setResults(NOTHING);
    const stop = new AbortController();
    const timer = setTimeout(() => {
      find(wanted, stop.signal).then(setResults, (error) => error.name === 'AbortError' || showError(error));
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [wanted]);
  return results;
}

/** @returns {Promise<Results>} */
export async function find(/** @type {string} */ query, /** @type {AbortSignal} */ signal, most = HITS) {
  if (!query) return NOTHING;
  const [{ names: all }, { hits, linked, remarks }] = await Promise.all([
    api.names(query, NAMES_ASKED, signal),
    api.search(query, most, signal).catch((error) => {
      if (statusOf(error) !== 422) throw error;
      return { hits: [], linked: [], remarks: [error.message] }; // a filter that is not complete yet
    }),
  ]);
  const names = ranked(all, query).slice(0, NAMES);
  const isNew = (/** @type {string} */ name) => !names.includes(name);
  const isFound = names.length && !hits.length; // by its name: no step is needed
  const others = { hits: hits.filter(({ name }) => isNew(name)), linked: linked.filter(isNew) };
  return { query, names, ...others, remarks: isFound ? [] : remarks, isFull: hits.length === most };
}
