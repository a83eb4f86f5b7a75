// The text of a note as the server has rendered and cleaned it. The only place where the HTML of a note is put into
// the page.
import { html, useEffect, useLayoutEffect, useRef } from '../vendor/ui.js';
import { draw } from '../drawing/drawn.js';
import { fillFiles, openFile } from './files.js';
import { tintFresh, tintOther } from '../review/fresh.js';
import { baseHash, go, noteHash, parse } from '../navigation.js';
import { arrive, placeOf, show } from './places.js';
import { useElement } from '../common/refs.js';
import { address, canWrite, route } from '../state.js';
import { toast } from '../common/toasts.js';

/**
 * A task: its line, whether it is done now, and the embedded note that it is in, null for the note itself.
 * @typedef {{ line: number, isTicked: boolean, embed: { name: string, etag: string } | null }} Task
 */

/**
 * The text of the note `name`, or a part of it. `source` is HTML that the server made; links in it open by their
 * address. `onArrive` gets whether the place that the address names is shown. `onTick` gets a task whose box the person
 * ticks; without it, no box can be ticked. `isPreview`: it is shown beside what the person asked for.
 * @typedef {{ onArrive?: (found: boolean) => void, onTick?: (task: Task) => void }} Callbacks
 * @param {{ name: string, source: string, isPreview?: boolean } & Callbacks} props
 */
export function Body({ name, source, isPreview = false, onArrive, onTick }) {
  const body = useElement(HTMLDivElement);
  const shown = useRef({ name, source });
  const { at } = route.value;
  useLayoutEffect(() => {
    const restore = focusAndFolds(body.current);
    body.current.innerHTML = source;
    const before = shown.current;
    if (before.name === name && before.source !== source) (at ? tintOther : tintFresh)(body.current, before.source);
    shown.current = { name, source };
    prepare(body.current);
    reachWide(body.current);
    restore();
  }, [source]);
  useLayoutEffect(() => {
    if (at) leadTo(at, body.current);
  }, [source, at]);
  useLayoutEffect(() => {
    for (const box of boxes(body.current)) box.disabled = !onTick || !canWrite(embedOf(box)?.name ?? name);
  }, [source, !onTick]);
  const onChange = (/** @type {Event} */ event) => {
    const box = event.target;
    if (box instanceof HTMLInputElement && box.dataset.task)
      onTick?.({ line: Number(box.dataset.task), isTicked: box.checked, embed: embedOf(box) });
  };
  useEffect(() => fillFiles(body.current), [source]);
  useEffect(() => draw(body.current, isPreview), [source]);
  useLayoutEffect(() => {
    const { name: target, subpath } = route.peek();
    if (target === name) onArrive?.(arrive(whole(body.current), subpath));
  }, [source, address.value.position]);
  useEffect(() => {
    const text = body.current;
    const size = new ResizeObserver(() => reachWide(text));
    if (!isPreview) size.observe(text);
    return () => size.disconnect();
  }, []);
  const onClick = (/** @type {MouseEvent} */ event) => follow(event, body.current);
  return html`<div class="body" ref=${body} onClick=${onClick} onChange=${onChange}></div>`;
}

/** Return the element with all parts of the note: a heading may be in another part than the one above it. */
const whole = (/** @type {Element} */ body) => body.closest('.note-page') ?? body;

/**
 * Return the embedded note that a box is in, with its etag; null for a box of the note itself.
 * @param {Element} box
 */
function embedOf(box) {
  const embed = box.closest('.embed');
  const link = embed?.querySelector(':scope > a');
  if (!(embed instanceof HTMLElement && link instanceof HTMLElement)) return null;
  return { name: link.dataset.note ?? '', etag: embed.dataset.etag ?? '' };
}

/** @returns {NodeListOf<HTMLInputElement>} */
const boxes = (/** @type {Element} */ body) => body.querySelectorAll('input[data-task]');

/** Remember the focus and what is folded. Return a function that restores both in a newer text. */
function focusAndFolds(/** @type {Element} */ body) {
  const text = (/** @type {Element | null} */ element) => element?.textContent;
  const links = () => /** @type {HTMLElement[]} */ ([...body.querySelectorAll('a, summary, input[data-task]')]);
  const title = (/** @type {Element} */ details) => text(details.querySelector('summary'));
  const at = links().findIndex((link) => link === document.activeElement);
  const focused = at < 0 ? null : text(document.activeElement);
  const folds = new Map([...body.querySelectorAll('details')].map((one) => [title(one), one.open]));
  return () => {
    for (const one of body.querySelectorAll('details')) one.open = folds.get(title(one)) ?? one.open;
    if (focused === null) return;
    const there = links()[at];
    const next = there && text(there) === focused ? there : (links().find((one) => text(one) === focused) ?? there);
    next?.focus({ preventScroll: true });
  };
}

/** Make the links to notes lead to these notes as they were at a moment. */
function leadTo(/** @type {string} */ at, /** @type {Element} */ body) {
  for (const link of body.querySelectorAll('a[href^="#/note/"]')) {
    const { name, subpath } = parse(link.getAttribute('href') ?? '');
    if (name) link.setAttribute('href', noteHash(name, subpath, { at, named: 'then' }));
  }
}

/** Add what the keyboard and screen readers need: links without an address are buttons, headings have a level. */
function prepare(/** @type {Element} */ body) {
  const buttons = body.querySelectorAll('a[data-file], a[data-jump], a[data-scheme], a[data-gone]');
  for (const one of buttons) {
    one.setAttribute('role', one.hasAttribute('data-jump') ? 'link' : 'button');
    one.setAttribute('tabindex', '0');
    one.addEventListener('keydown', (event) => {
      if (event instanceof KeyboardEvent && event.key === 'Enter' && one instanceof HTMLElement) one.click();
    });
  }
  const headings = [...body.querySelectorAll('h1, h2, h3, h4, h5, h6')];
  const levels = levelsOf(headings.map(({ tagName }) => Number(tagName[1])));
  for (const [at, one] of headings.entries()) one.setAttribute('aria-level', String(levels[at]));
  for (const one of body.querySelectorAll('input[type=checkbox]')) {
    one.setAttribute('aria-label', one.parentElement?.textContent?.trim().slice(0, 100) || 'Task');
  }
}

/** Return levels below that of the title for the headings of a text: none is left out, whatever the author wrote. */
export function levelsOf(/** @type {number[]} */ written) {
  /** @type {number[]} */
  let above = [];
  return written.map((level) => {
    above = [...above.filter((one) => one < level), level];
    return above.length + 2;
  });
}

/** @type {[string, string][]} */
const SCROLLED = [
  ['.table', 'Table'],
  ['pre', 'Code'],
  ['.math-display', 'Formula'],
];

/** Let the keyboard reach what is too wide for the text, and only that. */
function reachWide(/** @type {Element} */ body) {
  for (const [kind, label] of SCROLLED) {
    for (const one of body.querySelectorAll(kind)) {
      const isWide = one.scrollWidth > one.clientWidth;
      const wanted = { tabindex: '0', role: 'region', 'aria-label': label };
      for (const [name, value] of Object.entries(wanted)) {
        if (isWide) one.setAttribute(name, value);
        else one.removeAttribute(name);
      }
    }
  }
}

/** Do what a link without an address stands for. */
function follow(/** @type {MouseEvent} */ event, /** @type {Element} */ body) {
  const link = event.target instanceof Element ? event.target.closest('a') : null;
  if (!link) return;
  const { file, subpath, jump, scheme, gone } = link.dataset;
  if (file?.endsWith('.base')) go(baseHash(file));
  else if (file !== undefined) openFile(file, subpath);
  else if (jump !== undefined) anchorOf(link, jump, body);
  else if (scheme !== undefined) toast(`This page cannot open “${scheme.split(':')[0]}:” addresses: ${scheme}`);
  else if (gone !== undefined) toast(`There is no file “${gone}” in this vault.`);
  else if (link.hash && link.hash === location.hash) here(body);
  else return;
  event.preventDefault();
}

/** Show a footnote, or the place that refers to it, in the text that has the link. */
function anchorOf(/** @type {Element} */ link, /** @type {string} */ jump, /** @type {Element} */ body) {
  const text = link.closest('.embed, .expansion') ?? body;
  const anchor = text.querySelector(`[data-anchor="${CSS.escape(jump)}"]`);
  if (!anchor) return;
  show(anchor);
  const next = anchor.matches('a') ? anchor : anchor.querySelector('a.back');
  if (next instanceof HTMLElement) next.focus({ preventScroll: true });
}

/** Show once more the place that the address names. */
function here(/** @type {Element} */ body) {
  const place = placeOf(whole(body), route.peek().subpath);
  if (place) show(place);
}
