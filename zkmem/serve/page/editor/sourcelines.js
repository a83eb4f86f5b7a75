// Finds the line of a note's text that a passage on the screen comes from, and the passage that comes from a line. So
// the editor opens at the passage that was read.
import { OUTSIDE } from '../note/places.js';

/**
 * A place in a text: the words there, how far it is from the beginning of the text (from 0 to 1), and how far the panel
 * was scrolled, if it is a place in a note that is read.
 * @typedef {{ text: string, share: number, top?: number }} Place
 */

const BLOCKS = 'p, li, h1, h2, h3, h4, h5, h6, pre, tr, .callout-title';
const MOST_WORDS = 12;
const MARGIN = 8; // pixels above a passage

const panel = () => /** @type {HTMLElement} */ (document.getElementById('panel'));
const wordsOf = (/** @type {string} */ text) => text.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];

/** Return the blocks of a note that have text of its own; those of other notes inside it are left out. */
const blocksOf = (/** @type {Element} */ page) =>
  /** @type {HTMLElement[]} */ ([...page.querySelectorAll('.body')])
    .flatMap((body) => /** @type {HTMLElement[]} */ ([...body.querySelectorAll(BLOCKS)]))
    .filter((block) => !block.closest(OUTSIDE) && block.textContent?.trim());

/**
 * Return the place at the upper edge of the panel; null at the top of the note.
 * @param {Element} page
 * @returns {Place | null}
 */
export function placeRead(page) {
  const { scrollTop: top } = panel();
  const edge = panel().getBoundingClientRect().top;
  const blocks = blocksOf(page);
  const at = blocks.findIndex((block) => block.getBoundingClientRect().bottom > edge + MARGIN);
  if (top === 0 || at < 0) return null;
  return { text: blocks[at].textContent ?? '', share: at / blocks.length, top };
}

/** Scroll to a place of a text; `top` is how far the panel was scrolled if the place has not changed since. */
export function showPlace(/** @type {Element} */ page, /** @type {Place} */ { text, share, top }) {
  if (top !== undefined) return panel().scrollTo({ top, behavior: 'instant' });
  const blocks = blocksOf(page);
  const block =
    blocks[
      nearest(
        blocks.map(({ textContent }) => textContent ?? ''),
        text,
        share,
      )
    ];
  if (!block) return undefined;
  const from = block.getBoundingClientRect().top - panel().getBoundingClientRect().top;
  return panel().scrollBy({ top: from - MARGIN, behavior: 'instant' });
}

/** Return the number of the line, from 0, that a place in the note comes from. */
export const lineOf = (/** @type {string} */ source, /** @type {Place} */ { text, share }) =>
  nearest(source.split('\n'), text, share);

/**
 * Return the place of a line, or of the next one that is not blank.
 * @param {string} source
 * @param {number} line
 * @returns {Place}
 */
export function placeOfLine(source, line) {
  const lines = source.split('\n');
  const text = lines.slice(line).find((one) => one.trim()) ?? '';
  return { text, share: line / lines.length };
}

/**
 * Return the number of the text that has most of the first words, in their order. Among equals, it is the one
 * whose place is nearest to a share of all texts.
 * @param {string[]} texts
 * @param {string} text
 * @param {number} share
 */
export function nearest(texts, text, share) {
  const wanted = wordsOf(text).slice(0, MOST_WORDS);
  const expected = share * texts.length;
  let best = { at: Math.floor(expected), score: 0 };
  for (const [at, one] of texts.entries()) {
    const score = inOrder(wanted, one.toLowerCase());
    const isNearer = Math.abs(at - expected) < Math.abs(best.at - expected);
    if (score > best.score || (score > 0 && score === best.score && isNearer)) best = { at, score };
  }
  return Math.min(best.at, Math.max(0, texts.length - 1));
}

/** Return how many of the words are in a text, each after the one before. */
function inOrder(/** @type {string[]} */ words, /** @type {string} */ text) {
  let [count, from] = [0, 0];
  for (const word of words) {
    const at = text.indexOf(word, from);
    if (at < 0) continue;
    count += 1;
    from = at + word.length;
  }
  return count;
}
