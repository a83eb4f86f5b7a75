// What is drawn in a note after its text is shown: formulas, diagrams, and the colours of code. Each needs a script
// that is loaded only for a note that has one.
import { toast } from '../common/toasts.js';

// Of each kind in a text; the rest stays as it is written. A formula stops the page while it is drawn.
const MOST = { formulas: 500, code: 500, diagrams: 20 };
const LONGEST = { formulas: 2_000, code: 20_000, diagrams: 5_000 }; // characters
const MOST_CHARACTERS = { formulas: 50_000, code: 200_000, diagrams: 100_000 }; // of all of a kind

/**
 * Draw what a text has. Return a function that stops that, and frees what was drawn. In a preview, and in Review, each
 * diagram waits for a click: nobody has asked for it yet, and it may take long.
 * @param {Element} body
 * @param {boolean} isPreview
 */
export function draw(body, isPreview) {
  const stop = new AbortController();
  const { signal } = stop;
  const formulas = short(body, 'span.math', 'formulas');
  const diagrams = short(body, 'code.language-mermaid', 'diagrams');
  const code = short(body, 'pre > code[class^="language-"]:not(.language-mermaid)', 'code');
  const drawAll = async () => {
    if (formulas.length) await (await import('./formulas.js')).drawFormulas(formulas, signal);
    if (code.length) await (await import('./code.js')).colourCode(code, signal);
    if (diagrams.length && !signal.aborted) (await import('./diagrams.js')).drawDiagrams(diagrams, signal, isPreview);
  };
  drawAll().catch((error) => toast(`A part of this note could not be drawn: ${error.message}`));
  return () => stop.abort();
}

/** Return the first elements of a kind that are not too long, and are not too long together. */
function short(/** @type {Element} */ body, /** @type {string} */ selector, /** @type {keyof typeof MOST} */ kind) {
  const all = /** @type {HTMLElement[]} */ ([...body.querySelectorAll(selector)]);
  let left = MOST_CHARACTERS[kind];
  const isShort = (/** @type {Element} */ one) => lengthOf(one) <= LONGEST[kind] && (left -= lengthOf(one)) >= 0;
  return all.slice(0, MOST[kind]).filter(isShort);
}

const lengthOf = (/** @type {Element} */ element) => (element.textContent ?? '').length;

/**
 * Leave the source of what cannot be drawn, and say so in a line below it.
 * @param {Element} element
 * @param {string} what
 */
export function failed(element, what, failure = 'could not be drawn') {
  const line = document.createElement('small');
  Object.assign(line, { className: 'undrawn', textContent: `This ${what} ${failure}.` });
  element.after(' ', line);
}
