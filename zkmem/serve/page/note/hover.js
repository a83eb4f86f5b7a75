// A preview of the note that a link leads to, while the pointer or the focus of the keyboard is on the link.
import { html, useEffect, useLayoutEffect, useState } from '../vendor/ui.js';
import { api } from '../server/api.js';
import { isolated } from '../common/bidi.js';
import { Body } from './body.js';
import { Boundary } from '../common/boundary.js';
import { parse } from '../navigation.js';
import { placeOf } from './places.js';
import { useElement } from '../common/refs.js';
import { address, changed } from '../state.js';

/** @typedef {{ link: HTMLAnchorElement, name: string, source: string }} Card */

const DELAY_MS = 400;
const LEAVE_MS = 200; // to move the pointer from the link to the card
const MOST_CHARACTERS = 1500;
const LONGEST_BLOCK = 20_000; // characters of HTML
const MOST_KEPT = 40; // previews
const GAP = 6; // pixels between the link and the card
const LINKS = 'a[href^="#/note/"]:not(.missing, .tabs a, .outline a, .hover-card a, .missing > a)';

/** The previews by address, until a note changes. */
const kept = new Map();
changed.subscribe(() => kept.clear());

export function HoverCard() {
  const [card, setCard] = useState(/** @type {Card | null} */ (null));
  const box = useElement(HTMLDivElement);
  useEffect(() => follow(setCard), []);
  useEffect(() => setCard(null), [address.value.position]);
  useLayoutEffect(() => {
    if (card) place(box.current, card.link);
  }, [card]);
  if (!card) return null;
  const label = `Preview of ${card.name}`;
  return html`<div class="hover-card" ref=${box} role="group" aria-label=${label} key=${card.source}>
    <p class="hover-name" dir="auto">${card.name}</p>
    ${
      card.source
        ? html`<${Boundary}><${Body} name="" source=${card.source} isPreview /></${Boundary}>`
        : html`<p class="quiet">This note is empty.</p>`
    }
  </div>`;
}

/** Call `show` with the preview of each link that the person points at. Return a function that stops this. */
function follow(/** @type {(card: Card | null) => void} */ show) {
  const stop = new AbortController();
  let timer = 0;
  let current = /** @type {HTMLAnchorElement | null} */ (null); // the link whose preview is shown or on its way
  const hide = () => {
    clearTimeout(timer);
    current = null;
    show(null);
  };
  const wait = (/** @type {HTMLAnchorElement} */ link) => {
    clearTimeout(timer);
    if (link === current) return;
    current = link;
    timer = setTimeout(async () => {
      const card = await preview(link).catch(() => null); // a preview is not worth an error
      if (current === link && link.isConnected) show(card);
    }, DELAY_MS);
  };
  const leave = () => {
    clearTimeout(timer);
    timer = setTimeout(hide, LEAVE_MS);
  };
  const on = (/** @type {string} */ kind, /** @type {(event: Event) => void} */ act) =>
    addEventListener(kind, act, { signal: stop.signal, capture: true, passive: true });
  let [x, y] = [NaN, NaN]; // where the pointer was
  let below = /** @type {HTMLAnchorElement | null} */ (null); // the link that came below a pointer that rests
  const hasMoved = (/** @type {Event} */ event) => {
    if (!(event instanceof PointerEvent) || event.pointerType === 'touch') return false;
    const moved = event.clientX !== x || event.clientY !== y;
    [x, y] = [event.clientX, event.clientY];
    return moved;
  };
  on('pointerover', (event) => {
    if (event instanceof PointerEvent && event.pointerType === 'touch') return;
    const [link, moved] = [linkOf(event), hasMoved(event)];
    below = moved ? null : link;
    if (link && (moved || link === current)) wait(link);
    else if (isInCard(event)) clearTimeout(timer);
    else if (current && current !== document.activeElement) leave();
  });
  on('pointermove', (event) => {
    if (!hasMoved(event) || !below || linkOf(event) !== below) return;
    wait(below);
    below = null;
  });
  on('focusin', (event) => {
    const link = linkOf(event);
    if (link?.matches(':focus-visible')) wait(link);
    else if (current && !isInCard(event)) leave();
  });
  on('pointerdown', (event) => isInCard(event) || hide());
  on('keydown', (event) => {
    if (!(event instanceof KeyboardEvent) || event.key === 'Tab' || !current) return;
    if (event.key === 'Escape' && document.querySelector('.hover-card')) event.stopPropagation(); // closes only it
    hide();
  });
  on('scroll', (event) => isInCard(event) || hide());
  return () => stop.abort();
}

const target = (/** @type {Event} */ event) => (event.target instanceof Element ? event.target : null);
const isInCard = (/** @type {Event} */ event) => Boolean(target(event)?.closest('.hover-card'));

/** @returns {HTMLAnchorElement | null} */
function linkOf(/** @type {Event} */ event) {
  const link = target(event)?.closest('a');
  return link?.matches(LINKS) ? link : null;
}

/** @returns {Promise<Card | null>} */
async function preview(/** @type {HTMLAnchorElement} */ link) {
  const { name, subpath, ...then } = parse(link.hash);
  if (!name) return null;
  const source = kept.get(link.hash) ?? beginning((await api.part(name, 0, 0, then)).html, subpath);
  kept.set(link.hash, source);
  if (kept.size > MOST_KEPT) kept.delete(kept.keys().next().value);
  return { link, name: titleOf(name, subpath), source };
}

/** Return the name of a note and, with a subpath, the heading or block that it leads to. */
const titleOf = (/** @type {string} */ name, /** @type {string} */ subpath) =>
  [name, subpath.slice(subpath.lastIndexOf('#') + 1)].filter(Boolean).map(isolated).join(' › ');

/** Return the first blocks of a note's HTML or, with a subpath, those from the place on that it names. */
function beginning(/** @type {string} */ source, /** @type {string} */ subpath) {
  const { body } = new DOMParser().parseFromString(source, 'text/html'); // it runs and loads nothing
  const start = subpath ? placeOf(body, subpath) : null;
  let block = start ?? body.firstElementChild;
  while (block?.parentElement && block.parentElement !== body) block = block.parentElement;
  let left = MOST_CHARACTERS;
  let shown = '';
  for (; block && left > 0; block = block.nextElementSibling) {
    shown += block.outerHTML.length > LONGEST_BLOCK ? plain(block) : block.outerHTML;
    left -= block.textContent?.length ?? 0;
  }
  return shown;
}

/** Return the beginning of a long block, such as a large table, as HTML of its text alone. */
function plain(/** @type {Element} */ block) {
  const text = document.createElement('p');
  text.textContent = `${block.textContent?.slice(0, MOST_CHARACTERS)}…`;
  return text.outerHTML;
}

/** Put the card below the link or, without room there, above it. */
function place(/** @type {HTMLElement} */ card, /** @type {Element} */ link) {
  for (const one of card.querySelectorAll('a, button, input, summary, audio, video, iframe, [tabindex]')) {
    one.setAttribute('tabindex', '-1'); // the keyboard goes on in the page
  }
  const at = link.getClientRects()[0] ?? link.getBoundingClientRect();
  const { width, height } = card.getBoundingClientRect();
  const below = innerHeight - at.bottom - GAP;
  const top = height <= below || below > at.top ? at.bottom + GAP : Math.max(GAP, at.top - GAP - height);
  card.style.top = `${top}px`;
  card.style.left = `${Math.max(GAP, Math.min(at.left, innerWidth - width - GAP))}px`;
}
