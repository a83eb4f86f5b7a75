// Places in a note: the heading or block that an address names, and how far a view of the history was scrolled.
import { FOLDER } from '../place.js';
import { address } from '../state.js';

/** @typedef {{ level: number, key: string, element: Element }} Heading */

const MARKS = /[!"#$%&()*+,.:;<=>?@^`{|}~/[\]\\\s]+/gu;
/** What shows other notes inside a note. */
export const OUTSIDE = ':is(.expansion, .embed)';

/** The form in which headings are compared; the server writes it into `data-heading`. */
const headingKey = (/** @type {string} */ text) => text.replace(MARKS, ' ').trim().toLowerCase();

/**
 * Return the element of a note that a subpath names: '#Heading', '#One#Another' or '#^block'.
 * @param {Element} body
 * @param {string} subpath
 */
export function placeOf(body, subpath) {
  if (subpath.startsWith('#^')) return blockOf(body, subpath.slice(2).trim().toLowerCase());
  const wanted = subpath.split('#').map(headingKey).filter(Boolean);
  let step = 0;
  let level = 0;
  for (const heading of body.querySelectorAll('[data-heading]')) {
    const own = Number(heading.tagName[1]);
    if (own <= level || heading.closest(OUTSIDE) || heading.getAttribute('data-heading') !== wanted[step]) continue;
    level = own;
    step += 1;
    if (step === wanted.length) return heading;
  }
  return null;
}

/** Return the block with an id: the one that ends with it, or the one before an id that stands alone. */
function blockOf(/** @type {Element} */ body, /** @type {string} */ id) {
  const marks = body.querySelectorAll(`[data-block="${CSS.escape(id)}"]`);
  const mark = [...marks].find((one) => !one.closest(OUTSIDE));
  const block = mark?.closest('p, li, td, th, h1, h2, h3, h4, h5, h6');
  return block?.matches('.lone') ? (block.previousElementSibling ?? block) : (block ?? null);
}

/** Scroll to an element, open what folds it away, and mark it for a moment. */
export function show(/** @type {Element} */ element) {
  for (let at = element.closest('details'); at; at = at.parentElement?.closest('details') ?? null) at.open = true;
  element.scrollIntoView({ block: 'start' });
  element.classList.add('reached');
  setTimeout(() => element.classList.remove('reached'), 2000);
}

// How far each view was scrolled, by its position in the history of this tab

/** @typedef {{ hash: string, top: number }} Scrolled */

const STORED = `zkmem.scrolled:${FOLDER}`;
const PATIENCE_MS = 5000; // while images arrive and make a note longer

/** @returns {Record<string, Scrolled>} */
function stored() {
  try {
    return JSON.parse(sessionStorage.getItem(STORED) ?? '{}');
  } catch {
    return {}; // the browser keeps nothing for this page
  }
}
const scrolled = new Map(Object.entries(stored()).map(([position, view]) => [Number(position), view]));
let shown = -1; // the position whose place has been shown

const panel = () => document.getElementById('panel');

/** Remember how far the view that is shown is scrolled. */
export function rememberScroll() {
  const { hash, position } = address.peek();
  scrolled.set(position, { hash, top: panel()?.scrollTop ?? 0 });
}

/** Forget the views that a new step in the history replaces. */
export function forgetScrolls(/** @type {number} */ from) {
  for (const position of scrolled.keys()) if (position >= from) scrolled.delete(position);
}

/**
 * Show the place that the address names, once: where the view was left, or the heading or block. Return whether the
 * place is shown; if not, a later part of the note may have it.
 * @param {Element} body
 * @param {string} subpath
 */
export function arrive(body, subpath) {
  const { hash, position } = address.peek();
  if (shown === position) return true;
  const left = scrolled.get(position);
  if (left?.hash === hash) return scrollBack(body, position, left.top);
  const place = subpath ? placeOf(body, subpath) : null;
  if (subpath && !place) return false;
  shown = position;
  if (place) show(place);
  else panel()?.scrollTo({ top: 0, behavior: 'instant' });
  return true;
}

/** Scroll to where a view was left. If it is too short for that yet, scroll again when it grows. */
function scrollBack(/** @type {Element} */ body, /** @type {number} */ position, /** @type {number} */ top) {
  const box = panel();
  box?.scrollTo({ top, behavior: 'instant' });
  if (!box || Math.abs(box.scrollTop - top) < 2) {
    shown = position;
    return true;
  }
  const stop = new AbortController();
  const end = () => {
    if (address.peek().position === position) shown = position;
    stop.abort();
  };
  const grown = new ResizeObserver(() => {
    box.scrollTo({ top, behavior: 'instant' });
    if (Math.abs(box.scrollTop - top) < 2) end();
  });
  grown.observe(body);
  stop.signal.addEventListener('abort', () => grown.disconnect());
  for (const kind of ['wheel', 'keydown', 'pointerdown', 'hashchange']) {
    addEventListener(kind, end, { signal: stop.signal, passive: true }); // the person goes on
  }
  setTimeout(end, PATIENCE_MS);
  return false;
}

addEventListener('pagehide', () => {
  rememberScroll();
  try {
    sessionStorage.setItem(STORED, JSON.stringify(Object.fromEntries(scrolled)));
  } catch {
    // the browser keeps nothing for this page
  }
});
