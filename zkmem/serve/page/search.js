// The search box: names that match, and notes whose text matches, in one list.
import { html, useEffect, useState } from './vendor/ui.js';
import { api } from './api.js';
import { focusInGraph } from './graph.js';
import { open } from './navigation.js';
import { useElement } from './refs.js';
import { showError } from './toasts.js';

/**
 * @typedef {{ name: string, snippet?: string }} Hit
 * @typedef {{ query: string | null, names: string[], hits: Hit[] }} Results
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
  /** @type {Hit[]} */
  const options = [...results.names.map((name) => ({ name })), ...results.hits];
  const expanded = shown && results.query !== null;

  useEffect(() => document.getElementById(`found-${active}`)?.scrollIntoView({ block: 'nearest' }), [active]);

  const choose = (/** @type {Hit} */ option) => {
    setShown(false);
    input.current.blur();
    open(option.name);
    focusInGraph(option.name, false);
  };
  const onKeyDown = (/** @type {KeyboardEvent} */ event) => {
    const last = options.length - 1;
    /** @type {Record<string, () => unknown>} */
    const keys = {
      ArrowDown: () => (setShown(true), setActive(active >= last ? 0 : active + 1)),
      ArrowUp: () => (setShown(true), setActive(active <= 0 ? last : active - 1)),
      Enter: () => options.length && results.query === query.trim() && choose(options[Math.max(active, 0)]),
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
      ${group('Names', 0, options.slice(0, results.names.length))}
      ${group('Text', results.names.length, results.hits)}
      ${
        results.query !== null &&
        options.length === 0 &&
        html`<div role="option" aria-disabled="true" class="nothing">Nothing found.</div>`
      }
    </div>
    <span class="unseen" role="status">${expanded && results.query ? `${options.length} found` : ''}</span>
  </div>`;
}

/** @param {{ id: string, option: Hit, selected: boolean, choose: () => void }} props */
function Option({ id, option: { name, snippet }, selected, choose }) {
  const cut = name.lastIndexOf('/') + 1;
  return html`<div id=${id} role="option" aria-selected=${selected} onClick=${choose}>
    <div class="found-name">${cut > 0 && html`<small>${name.slice(0, cut)}</small>`}${name.slice(cut)}</div>
    ${snippet && html`<div class="found-text">${snippet}</div>`}
  </div>`;
}

/** @type {Results} */
const NOTHING = { query: null, names: [], hits: [] };

/** Return the results for a query: names first, then notes whose text has the words, but no note twice. */
function useResults(/** @type {string} */ query) {
  const [results, setResults] = useState(NOTHING);
  const wanted = query.trim();
  useEffect(() => {
    if (!wanted) return setResults(NOTHING);
    const stop = new AbortController();
    const timer = setTimeout(() => {
      search(wanted, stop.signal).then(setResults, (error) => error.name === 'AbortError' || showError(error));
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [wanted]);
  return results;
}

/** @returns {Promise<Results>} */
async function search(/** @type {string} */ query, /** @type {AbortSignal} */ signal) {
  const [{ names }, { hits }] = await Promise.all([api.names(query, NAMES, signal), api.search(query, HITS, signal)]);
  return { query, names, hits: hits.filter(({ name }) => !names.includes(name)) };
}
