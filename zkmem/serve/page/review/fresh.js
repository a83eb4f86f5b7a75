// The tint of passages that a client has just changed. It fades by itself.
import { hueOf } from '../common/hue.js';
import { isOwn } from '../history/past.js';
import { changed } from '../state.js';

const RECENT_MS = 10_000; // a text that changes later changes for another reason

const BLOCKS = 'p, li, tr, pre, h1, h2, h3, h4, h5, h6, dt, dd, summary, figure, hr';
const CONTAINERS = 'ul, ol, dl, table, thead, tbody, blockquote, div, section, details';
const ANY = `${BLOCKS}, ${CONTAINERS}`;

/**
 * Tint the smallest blocks of a text that its `earlier` HTML did not have, such as items of a list and rows of a table,
 * in the hue of the client that has changed it.
 */
export function tintFresh(/** @type {HTMLElement} */ body, /** @type {string} */ earlier) {
  const { by, at } = changed.peek();
  if (!by || isOwn(by) || Date.now() - at > RECENT_MS) return;
  body.style.setProperty('--hue', String(hueOf(by)));
  tintOther(body, earlier);
}

/** Tint the smallest blocks of a text that another text does not have. */
export function tintOther(/** @type {HTMLElement} */ body, /** @type {string} */ other) {
  const template = document.createElement('template');
  template.innerHTML = other;
  const before = new Set([...template.content.children].map(written));
  for (const block of template.content.querySelectorAll(`${ANY}, .embed > a`)) {
    before.add(written(block));
    if (block.matches('li')) before.add(writtenAll(firstLine(block)));
  }
  tintIn(body, before);
}

function tintIn(/** @type {Element} */ element, /** @type {Set<string>} */ before) {
  for (const block of [...element.children]) {
    if (before.has(written(block))) continue;
    const isDivided = block.matches(`${CONTAINERS}, li`) && block.querySelector(BLOCKS);
    if (!isDivided) block.classList.add('fresh');
    else {
      if (block.matches('li')) tintFirstLine(block, before);
      tintIn(block, before);
    }
  }
}

/** Tint the text of an item of a list, without the blocks that follow in the item. */
function tintFirstLine(/** @type {Element} */ item, /** @type {Set<string>} */ before) {
  const nodes = firstLine(item);
  if (!writtenAll(nodes) || before.has(writtenAll(nodes))) return;
  const line = document.createElement('div');
  line.className = 'fresh';
  nodes[0].before(line);
  line.append(...nodes);
}

/** Return what an item of a list has before its first block. */
function firstLine(/** @type {Element} */ item) {
  const nodes = [...item.childNodes];
  const end = nodes.findIndex((node) => node instanceof Element && node.matches(ANY));
  return end < 0 ? nodes : nodes.slice(0, end);
}

/**
 * Return the HTML of a block without the numbers of its lines, which change with the text above it, without the moment
 * in addresses of notes, and without those attributes of boxes that Chromium orders differently in a page and in a
 * template.
 */
const written = (/** @type {Element} */ block) =>
  block.outerHTML.replaceAll(/ (?:data-task="\d+"|disabled=""|type="checkbox")|\?(?:at|then)=[^"]*/g, '');

const writtenAll = (/** @type {ChildNode[]} */ nodes) =>
  nodes
    .map((node) => (node instanceof Element ? written(node) : node.textContent))
    .join('')
    .trim();
