// The tint of passages that a client has just changed. It fades by itself.
import { hueOf } from './hue.js';
import { isOwn } from './past.js';
import { changed } from './state.js';

const RECENT_MS = 10_000; // a text that becomes another one later does so for another reason

/** Tint the blocks of a text that its `earlier` HTML did not have, in the hue of the client that has changed it. */
export function tintFresh(/** @type {HTMLElement} */ body, /** @type {string} */ earlier) {
  const { by, at } = changed.peek();
  if (!by || isOwn(by) || Date.now() - at > RECENT_MS) return;
  const template = document.createElement('template');
  template.innerHTML = earlier;
  const before = new Set([...template.content.children].map(written));
  body.style.setProperty('--hue', String(hueOf(by)));
  for (const block of body.children) if (!before.has(written(block))) block.classList.add('fresh');
}

/** Return the HTML of a block without the numbers of its lines, which change with the text above it. */
const written = (/** @type {Element} */ block) => block.outerHTML.replaceAll(/ data-task="\d+"/g, '');
