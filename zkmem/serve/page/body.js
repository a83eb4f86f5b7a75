// The text of a note as the server has rendered and cleaned it. The only place where HTML is put into the page.
import { html, useEffect, useLayoutEffect, useRef } from './vendor/ui.js';
import { api } from './api.js';
import { hueOf } from './hue.js';
import { isOwn } from './past.js';
import { useElement } from './refs.js';
import { changed, linkedHeading } from './state.js';

/**
 * The text of the note `name`. `source` is HTML that the server made; links in it open by their address.
 * @param {{ name: string, source: string }} props
 */
export function Body({ name, source }) {
  const body = useElement(HTMLDivElement);
  const shown = useRef(source);
  useLayoutEffect(() => {
    const restore = focusAndFolds(body.current);
    body.current.innerHTML = source;
    if (shown.current !== source) tint(body.current, shown.current);
    shown.current = source;
    restore();
  }, [source]);
  useEffect(() => {
    const heading = linkedHeading.peek();
    if (heading?.name === name) find(body.current, heading.subpath)?.scrollIntoView();
    linkedHeading.value = null;
    return fillImages(body.current);
  }, [source]);
  const onClick = (/** @type {MouseEvent} */ event) => follow(event, name, body.current);
  return html`<div class="body" ref=${body} onClick=${onClick}></div>`;
}

/** Tint the blocks that were not there before, in the hue of the client that has just changed the note. */
function tint(/** @type {HTMLElement} */ body, /** @type {string} */ earlier) {
  const by = changed.peek().by ?? '';
  if (isOwn(by)) return;
  const template = document.createElement('template');
  template.innerHTML = earlier;
  const before = new Set([...template.content.children].map((block) => block.outerHTML));
  body.style.setProperty('--hue', String(hueOf(by)));
  for (const block of body.children) if (!before.has(block.outerHTML)) block.classList.add('fresh');
}

/** Remember the focus and which expansions are folded. Return a function that restores them in a newer text. */
function focusAndFolds(/** @type {Element} */ body) {
  const text = (/** @type {Element | null} */ element) => element?.textContent;
  const links = () => /** @type {HTMLElement[]} */ ([...body.querySelectorAll('a, summary')]);
  const title = (/** @type {Element} */ details) => text(details.querySelector('summary'));
  const at = links().findIndex((link) => link === document.activeElement);
  const focused = at < 0 ? null : text(document.activeElement);
  const folded = new Set([...body.querySelectorAll('details:not([open])')].map(title));
  return () => {
    for (const one of body.querySelectorAll('details')) if (folded.has(title(one))) one.open = false;
    if (focused === null) return;
    const there = links()[at];
    const next = there && text(there) === focused ? there : (links().find((one) => text(one) === focused) ?? there);
    next?.focus({ preventScroll: true });
  };
}

/** Show the heading that a link in the note `here` names, in this note or in the one that it opens. */
function follow(/** @type {MouseEvent} */ event, /** @type {string} */ here, /** @type {Element} */ body) {
  if (event.ctrlKey || event.metaKey || event.shiftKey) return; // another tab or window
  const link = event.target instanceof Element ? event.target.closest('a[data-note]') : null;
  if (!(link instanceof HTMLElement) || !link.dataset.subpath) return;
  const { note, subpath } = link.dataset;
  if (note && note !== here) {
    linkedHeading.value = { name: note, subpath };
    return;
  }
  event.preventDefault();
  find(body, subpath)?.scrollIntoView({ block: 'start' });
}

/** Return the heading that a link like `note#Part#Heading` names. */
function find(/** @type {Element} */ body, /** @type {string} */ subpath) {
  const last = subpath.split('#').at(-1)?.trim().toLowerCase();
  return [...body.querySelectorAll('h1, h2, h3, h4, h5, h6')].find(
    (one) => one.textContent?.trim().toLowerCase() === last,
  );
}

/** Fetch the images with the token, which an address cannot carry. Return a function that frees them. */
function fillImages(/** @type {Element} */ body) {
  /** @type {string[]} */
  const urls = [];
  let gone = false;
  for (const image of /** @type {NodeListOf<HTMLImageElement>} */ (body.querySelectorAll('img[data-file]'))) {
    const file = image.dataset.file ?? '';
    api.blob(file).then(
      (blob) => {
        if (gone) return;
        image.src = URL.createObjectURL(blob);
        urls.push(image.src);
      },
      (error) => {
        const text = document.createElement('span');
        Object.assign(text, {
          className: 'no-image',
          textContent: `${image.alt || file}: ${error.message}`,
        });
        image.replaceWith(text);
      },
    );
  }
  return () => {
    gone = true;
    urls.forEach(URL.revokeObjectURL);
  };
}
