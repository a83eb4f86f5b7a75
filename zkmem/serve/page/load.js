// Loads the data of a view, again when a note changes, and shows errors.
import { html, useEffect, useReducer, useRef, useState } from './vendor/ui.js';
import { changed, connection } from './state.js';

const QUIET = 150; // milliseconds: a model that writes many notes is followed, not chased
const LONGEST = 1000; // one that never rests is followed, too

/**
 * Load what a view shows, and again when a key changes; older data stay until newer ones are there.
 * @template T
 * @param {() => Promise<T>} load
 * @param {unknown[]} keys
 * @returns {{ data?: T, error?: Error & { status?: number }, again: () => void }}
 */
export function useLoad(load, keys) {
  const [state, setState] = useState(/** @type {{ data?: T, error?: Error }} */ ({}));
  const [turn, next] = useReducer((count) => count + 1, 0);
  useEffect(() => {
    let current = true;
    load().then(
      (data) => current && setState({ data }),
      (error) => current && setState((old) => ({ data: old.data, error })),
    );
    return () => {
      current = false;
    };
  }, [...keys, turn]);
  return { ...state, again: () => next(undefined) };
}

/** Call `react` with the names of all notes that changed since the last call, soon after; null if any may have. */
export function useLive(react) {
  const latest = useRef(react);
  latest.current = react;
  const seen = useRef(changed.peek().at).current; // what was known before this view is no news to it
  useEffect(() => {
    let names = [];
    let timer = 0;
    let first = null; // when the news began that are not told yet
    const soon = (news) => {
      names = news && names && [...names, ...news];
      first ??= performance.now();
      clearTimeout(timer);
      timer = setTimeout(
        () => {
          const told = names && [...new Set(names)];
          names = [];
          first = null;
          latest.current(told);
        },
        Math.min(QUIET, first + LONGEST - performance.now()),
      );
    };
    const stop = changed.subscribe(({ names: news, at }) => at > 0 && at !== seen && soon(news));
    let cut = false; // off the events: something may have been missed
    const rest = connection.subscribe((state) => {
      if (cut && state === 'live') soon(null);
      cut = state !== 'live' && (cut || state === 'off');
    });
    return () => {
      stop();
      rest();
      clearTimeout(timer);
    };
  }, []);
}

/** The sentence of an error, and a way to try again. */
export function Trouble({ error, again }) {
  if (!error) return null;
  return html`<div class="trouble" role="alert">
    <p>${error.message}</p>
    ${again && html`<button type="button" onClick=${again}>Try again</button>`}
  </div>`;
}

/** Something to wait for; it is said only to those who cannot see. */
export const Waiting = () => html`<p class="quiet waiting" role="status">Loading…</p>`;

/** Where the keyboard goes next in a list: arrows, Home and End move between elements with `data-row`. */
export function walk(event) {
  const step = { ArrowDown: 1, ArrowUp: -1, Home: -Infinity, End: Infinity }[event.key];
  const rows = [...event.currentTarget.querySelectorAll('[data-row]')];
  const at = rows.indexOf(event.target);
  if (!step || at < 0) return;
  event.preventDefault();
  rows[Math.max(0, Math.min(rows.length - 1, at + step))].focus();
}

const plain = new Intl.NumberFormat('en', { maximumFractionDigits: 2 });

export const number = (value) => plain.format(value);

/** "3 links", "1 link". */
export const counted = (count, what, many = `${what}s`) => `${number(count)} ${count === 1 ? what : many}`;
