// Loads the data of a view, again when a note changes, and shows errors.
import { html, useEffect, useReducer, useRef, useState } from '../vendor/ui.js';
import { ApiError } from '../server/error.js';
import { Sentence } from './sentence.js';
import { changed, missedChanges } from '../state.js';

export { formatNumber, numberOf } from './numbers.js';

const QUIET = 150; // milliseconds without a change, so that a model that writes many notes causes one call
const LONGEST = 1000; // milliseconds, so that a model that never pauses is followed, too

/**
 * Load what a view shows, and again when a key changes. Until the first answer, the data are `first`; older data stay
 * until newer ones are there. The signal ends a request whose answer is not wanted any more.
 * @template T
 * @param {(signal: AbortSignal) => Promise<T>} load
 * @param {unknown[]} keys
 * @param {T} [first]
 * @returns {{ data?: T, error?: Error & { status?: number }, again: () => void }}
 */
export function useLoad(load, keys, first) {
  const [state, setState] = useState(/** @type {{ data?: T, error?: Error }} */ ({ data: first }));
  const [turn, next] = useReducer((/** @type {number} */ count) => count + 1, 0);
  useEffect(() => {
    const stop = new AbortController();
    const current = () => !stop.signal.aborted;
    load(stop.signal).then(
      (data) => current() && setState({ data }),
      (error) => current() && setState((old) => ({ data: old.data, error })),
    );
    return () => stop.abort();
  }, [...keys, turn]);
  return { ...state, again: () => next(undefined) };
}

/**
 * Call `react` with the names of the notes that changed since the last call, soon after they did; null if any note may
 * have changed.
 * @param {(names: string[] | null) => void} react
 */
export function useChanges(react) {
  const latest = useRef(react);
  latest.current = react;
  const seen = useRef(changed.peek().at).current; // a change before this view was shown is in what it loads
  const missed = useRef(missedChanges.peek()).current;
  useEffect(() => {
    const collected = collector((names) => latest.current(names));
    const stop = changed.subscribe(({ names, at }) => {
      if (at > 0 && at !== seen) collected.add(names);
    });
    const stopToo = missedChanges.subscribe((count) => {
      if (count !== missed) collected.add(null);
    });
    return () => {
      stop();
      stopToo();
      collected.stop();
    };
  }, []);
}

/** Collect names, and call `act` with them when none came for a while, at the latest after a second. */
function collector(/** @type {(names: string[] | null) => void} */ act) {
  let names = /** @type {Set<string> | null} */ (new Set());
  let first = /** @type {number | null} */ (null); // when the first of these names came
  let timer = 0;
  const pass = () => {
    const collected = names && [...names];
    names = new Set();
    first = null;
    act(collected);
  };
  return {
    add(/** @type {string[] | null} */ more) {
      names = names && more && new Set([...names, ...more]);
      first ??= performance.now();
      clearTimeout(timer);
      timer = setTimeout(pass, Math.min(QUIET, first + LONGEST - performance.now()));
    },
    stop: () => clearTimeout(timer),
  };
}

/** Return the notes that an error proposes. */
export const namesIn = (/** @type {unknown} */ error) => (error instanceof ApiError ? error.data.names : undefined);

/**
 * The sentence of an error, and a way to try again.
 * @param {{ error?: { message: string } | null, again?: () => void }} props
 */
export function ErrorMessage({ error, again }) {
  if (!error) return null;
  return html`<div class="trouble" role="alert">
    <p><${Sentence} text=${error.message} names=${namesIn(error)} /></p>
    ${again && html`<button type="button" onClick=${again}>Try again</button>`}
  </div>`;
}

/**
 * Wait for a script of the page that is loaded when it is needed. After an upgrade, the server has only the new one.
 * @template T
 * @param {Promise<T>} loading
 */
export const script = (loading) =>
  loading.catch(() => {
    throw new Error('A part of the page could not be loaded. If zkmem has been updated, reload the page.');
  });

/**
 * The message that something is loaded; `what` says what that is, if it may take long.
 * @param {{ what?: string }} props
 */
export const Waiting = ({ what = '' }) =>
  html`<p class="quiet waiting" role="status">${what ? `Reading ${what}…` : 'Loading…'}</p>`;

/** Move the focus in a list: arrows, Home and End move between the elements with `data-row`. */
export function moveInList(/** @type {KeyboardEvent & { currentTarget: HTMLElement }} */ event) {
  const step = STEPS[event.key];
  const rows = [...event.currentTarget.querySelectorAll('[data-row]')];
  const at = rows.indexOf(/** @type {Element} */ (event.target));
  if (!step || at < 0) return;
  event.preventDefault();
  const next = rows[Math.max(0, Math.min(rows.length - 1, at + step))];
  if (next instanceof HTMLElement) next.focus();
}

/** @type {Record<string, number>} */
const STEPS = { ArrowDown: 1, ArrowUp: -1, Home: -Infinity, End: Infinity };
