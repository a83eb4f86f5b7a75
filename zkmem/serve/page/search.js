// The search box: names as they are completed, and full text, in one list.
import { html, useEffect, useRef, useState } from './vendor/ui.js';
import { api } from './api.js';
import { focusInGraph } from './graph.js';
import { open, tell } from './state.js';

const NAMES = 8;
const HITS = 12;
const PAUSE_MS = 120;

export function SearchBox() {
  const [query, setQuery] = useState('');
  const found = useResults(query);
  const [chosen, setChosen] = useState({ found, at: -1 });
  const active = chosen.found === found ? chosen.at : -1; // a newer answer has other rows
  const setActive = (at) => setChosen({ found, at });
  const [shown, setShown] = useState(false);
  const input = useRef(/** @type {HTMLInputElement} */ (null));
  const options = [...found.names.map((name) => ({ name })), ...found.hits];
  const expanded = shown && found.query !== null;

  useEffect(() => document.getElementById(`found-${active}`)?.scrollIntoView({ block: 'nearest' }), [active]);

  const choose = (option) => {
    setShown(false);
    input.current.blur();
    open(option.name);
    focusInGraph(option.name, false);
  };
  const onKeyDown = (event) => {
    const last = options.length - 1;
    const keys = {
      ArrowDown: () => (setShown(true), setActive(active >= last ? 0 : active + 1)),
      ArrowUp: () => (setShown(true), setActive(active <= 0 ? last : active - 1)),
      Enter: () => options.length && found.query === query.trim() && choose(options[Math.max(active, 0)]),
      Escape: () => (expanded ? setShown(false) : setQuery('')),
    };
    if (!keys[event.key] || event.isComposing) return;
    event.preventDefault();
    event.stopPropagation();
    keys[event.key]();
  };
  const group = (title, first, list) =>
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
      onInput=${(event) => (setQuery(event.target.value), setShown(true))} onKeyDown=${onKeyDown}
      onFocus=${() => setShown(true)} onBlur=${() => setShown(false)} />
    <kbd aria-hidden="true">/</kbd>
    <div id="found" role="listbox" aria-label="Notes found" hidden=${!expanded}
      onMouseDown=${(event) => event.preventDefault()}>
      ${group('Names', 0, options.slice(0, found.names.length))}
      ${group('Text', found.names.length, found.hits)}
      ${
        found.query !== null &&
        options.length === 0 &&
        html`<div role="option" aria-disabled="true" class="nothing">Nothing found.</div>`
      }
    </div>
    <span class="unseen" role="status">${expanded && found.query ? `${options.length} found` : ''}</span>
  </div>`;
}

function Option({ id, option: { name, snippet }, selected, choose }) {
  const cut = name.lastIndexOf('/') + 1;
  return html`<div id=${id} role="option" aria-selected=${selected} onClick=${choose}>
    <div class="found-name">${cut > 0 && html`<small>${name.slice(0, cut)}</small>`}${name.slice(cut)}</div>
    ${snippet && html`<div class="found-text">${snippet}</div>`}
  </div>`;
}

const NOTHING = { query: null, names: [], hits: [] };

/** What was found for a query: names first, then notes whose text has the words, but not a note twice. */
function useResults(query) {
  const [found, setFound] = useState(NOTHING);
  const wanted = query.trim();
  useEffect(() => {
    if (!wanted) return setFound(NOTHING);
    const stop = new AbortController();
    const timer = setTimeout(() => {
      search(wanted, stop.signal).then(setFound, (error) => error.name === 'AbortError' || tell(error));
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [wanted]);
  return found;
}

async function search(query, signal) {
  const [{ names }, { hits }] = await Promise.all([
    api.get('names', { q: query, count: NAMES }, { signal }),
    api.get('search', { q: query, count: HITS }, { signal }),
  ]);
  return { query, names, hits: hits.filter(({ name }) => !names.includes(name)) };
}
