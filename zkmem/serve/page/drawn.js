// What is drawn in a note after its text is shown: formulas, diagrams, and the colours of code. Each needs a script
// that is loaded only for a note that has one.
import { toast } from './toasts.js';

const MOST = 500; // of each kind in a text; the rest stays as it is written
const LONGEST = 20_000; // characters

/**
 * Draw what a text has. Return a function that stops that, and frees what was drawn.
 * @param {Element} body
 */
export function draw(body) {
  const stop = new AbortController();
  const { signal } = stop;
  const formulas = short(body, 'span.math');
  const diagrams = short(body, 'code.language-mermaid');
  const code = short(body, 'pre > code[class^="language-"]').filter((one) => !diagrams.includes(one));
  const drawAll = async () => {
    if (formulas.length) await (await import('./formulas.js')).drawFormulas(formulas);
    if (code.length) (await import('./codecolours.js')).colourCode(code);
    if (diagrams.length && !signal.aborted) (await import('./diagrams.js')).drawDiagrams(diagrams, signal);
  };
  drawAll().catch((error) => toast(`A part of this note could not be drawn: ${error.message}`));
  return () => stop.abort();
}

/** Return the first elements of a kind that are not too long. */
function short(/** @type {Element} */ body, /** @type {string} */ selector) {
  const all = /** @type {HTMLElement[]} */ ([...body.querySelectorAll(selector)]);
  return all.slice(0, MOST).filter((one) => (one.textContent ?? '').length <= LONGEST);
}

/** Leave the source of what cannot be drawn, and say so in a line below it. */
export function failed(/** @type {Element} */ element, /** @type {string} */ what) {
  const line = document.createElement('small');
  Object.assign(line, { className: 'undrawn', textContent: `This ${what} could not be drawn.` });
  element.after(' ', line);
}
