// Places: the heading or block in a note that an address names, and where a view of the history was left.
import { isTyping } from '../common/typing.js';
import { FOLDER } from '../place.js';
import { address } from '../state.js';

const MARKS = /[!"#$%&()*+,.:;<=>?@^`{|}~/[\]\\\s]+/gu;
/** What shows other notes inside a note. */
export const OUTSIDE = ':is(.expansion, .embed)';

/** The form in which headings are compared; the server writes it into `data-heading`. */
export const headingKey = (/** @type {string} */ text) => text.replace(MARKS, ' ').trim().toLowerCase();

/**
 * Return the element of a note that a subpath names: '#Heading', '#One#Another' or '#^block'.
 * @param {Element} body
 * @param {string} subpath
 */
export function placeOf(body, subpath) {
  if (subpath.startsWith('#^')) return blockOf(body, subpath.slice(2).trim().toLowerCase());
  const headings = [...body.querySelectorAll('[data-heading]')].filter((heading) => !heading.closest(OUTSIDE));
  const found = headings.map((element) => ({
    level: Number(element.tagName[1]),
    key: element.getAttribute('data-heading'),
    element,
  }));
  return headingAt(found, subpath)?.element ?? null;
}

/**
 * Return the heading that a subpath names: each part names one below the one before.
 * @template {{ level: number, key: string | null }} Heading
 * @param {Heading[]} headings
 * @param {string} subpath
 */
export function headingAt(headings, subpath) {
  const wanted = subpath.split('#').map(headingKey).filter(Boolean);
  let step = 0;
  let level = 0;
  for (const heading of headings) {
    if (heading.level <= level || heading.key !== wanted[step]) continue;
    level = heading.level;
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

// Where each view was left, by its position in the history of this tab: how far it was scrolled, what had the focus

/**
 * What an element is, and its number among those that are the same.
 * @typedef {{ what: string, at: number }} Focused
 * @typedef {{ hash: string, top: number, focus?: Focused | null }} Left
 */

const STORED = `zkmem.scrolled:${FOLDER}`;
const PATIENCE_MS = 5000; // while a view is loaded, and while images make it longer
const MOST_WORDS = 200; // characters of the text of a button

/** @returns {Record<string, Left>} */
function stored() {
  try {
    return JSON.parse(sessionStorage.getItem(STORED) ?? '{}');
  } catch {
    return {}; // the browser keeps nothing for this page
  }
}
const views = new Map(Object.entries(stored()).map(([position, view]) => [Number(position), view]));
let shown = -1; // the position whose place has been shown
let returning = -1; // the position whose place is shown as soon as it is there

const panel = () => document.getElementById('panel');

/** Remember where the view that is shown is left. */
export function rememberPlace() {
  const { hash, position } = address.peek();
  views.set(position, { hash, top: panel()?.scrollTop ?? 0, focus: focused() });
}

/** Forget the views that a new step in the history replaces. */
export function forgetPlaces(/** @type {number} */ from) {
  for (const position of views.keys()) if (position >= from) views.delete(position);
}

/** Return what has the focus in the panel; null if nothing has it. */
function focused() {
  const element = panel()?.contains(document.activeElement) ? document.activeElement : null;
  if (!element?.matches(FOCUSABLE)) return null;
  const what = whatIs(element);
  return { what, at: likeIt(what).indexOf(element) };
}

const FOCUSABLE = 'a, button, summary, input';
const likeIt = (/** @type {string} */ what) =>
  [...(panel()?.querySelectorAll(FOCUSABLE) ?? [])].filter((one) => whatIs(one) === what);

function whatIs(/** @type {Element} */ element) {
  const name = element.getAttribute('href') ?? element.getAttribute('aria-label') ?? element.textContent ?? '';
  return `${element.localName} ${name.slice(0, MOST_WORDS)}`;
}

/**
 * Show the place in a note that the address names, once: where the view was left, or the heading or block. Return
 * whether the place is shown; if not, a later part of the note may have it.
 * @param {Element} body
 * @param {string} subpath
 */
export function arrive(body, subpath) {
  const { position } = address.peek();
  if (shown === position) return true;
  const left = leftHere();
  if (left) return comeBack(position, left);
  const place = subpath ? placeOf(body, subpath) : null;
  if (subpath && !place) return false;
  shown = position;
  if (place) show(place);
  else scrollTo(0);
  return true;
}

/** Show where the view that the address names was left; a view that is new in the history begins at its top. */
export function arriveAtView() {
  const { position } = address.peek();
  if (shown === position) return;
  const left = leftHere();
  if (left) comeBack(position, left);
  else scrollTo(0);
}

/** Return where the view that the address names was left. */
function leftHere() {
  const { hash, position } = address.peek();
  const left = views.get(position);
  return left?.hash === hash ? left : null;
}

/** Scroll the panel. Return whether it is long enough for that. */
function scrollTo(/** @type {number} */ top) {
  const box = panel();
  box?.scrollTo({ top, behavior: 'instant' });
  return Boolean(box) && Math.abs((box?.scrollTop ?? 0) - top) < 2;
}

/** Give the focus back, unless the person types. Return whether the element is there. */
function focusOn(/** @type {Focused} */ { what, at }) {
  const element = likeIt(what)[at];
  if (element instanceof HTMLElement && !isTyping()) element.focus({ preventScroll: true });
  return Boolean(element);
}

/** Show where a view was left; what is not there yet, as soon as the view grows. Return whether it is scrolled so. */
function comeBack(/** @type {number} */ position, /** @type {Left} */ { top, focus }) {
  const isFocused = () => !focus || focusOn(focus);
  const isThere = scrollTo(top);
  if (isFocused() && isThere) {
    shown = position;
    return true;
  }
  if (returning === position) return isThere;
  returning = position;
  const stop = new AbortController();
  const end = () => {
    if (address.peek().position === position) shown = position;
    returning = -1;
    stop.abort();
  };
  const grown = new ResizeObserver(() => {
    const isScrolled = scrollTo(top);
    if (isFocused() && isScrolled) end();
  });
  for (const part of panel()?.children ?? []) grown.observe(part);
  stop.signal.addEventListener('abort', () => grown.disconnect());
  for (const kind of ['wheel', 'keydown', 'pointerdown', 'hashchange']) {
    addEventListener(kind, end, { signal: stop.signal, passive: true }); // the person goes on
  }
  const timer = setTimeout(end, PATIENCE_MS);
  stop.signal.addEventListener('abort', () => clearTimeout(timer));
  return isThere;
}

addEventListener('pagehide', () => {
  rememberPlace();
  try {
    sessionStorage.setItem(STORED, JSON.stringify(Object.fromEntries(views)));
  } catch {
    // the browser keeps nothing for this page
  }
});
