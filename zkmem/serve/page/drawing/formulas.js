// Formulas, drawn by KaTeX. It sets styles one by one, which the page's policy allows.
import { render } from '../vendor/math.js';
import { failed } from './drawn.js';
import { fileOf } from '../place.js';

const OPTIONS = { throwOnError: true, strict: false, trust: false, maxSize: 50 };
const DEFINES = /\\(?:[gex]?def|let|futurelet|(?:re|provide)?newcommand|providecommand)(?![a-zA-Z])/;
const MOST_EXPANDED = 1000; // macros; of those that a formula defines, fewer, since each may be as long as the formula
const MOST_TOKENS = 5000;
const DEEPEST = 200; // elements inside one another, some 27 fractions; at about 900, the tab crashes in Chromium
const PAUSE_MS = 30; // after so much drawing, the page may answer the person

/** Draw formulas. One with an error, or one that is too deep, stays as it is written. */
export async function drawFormulas(/** @type {HTMLElement[]} */ formulas, /** @type {AbortSignal} */ signal) {
  await styled();
  let began = performance.now();
  for (const formula of formulas) {
    if (performance.now() - began > PAUSE_MS) {
      await new Promise((over) => setTimeout(over));
      began = performance.now();
    }
    if (signal.aborted) return;
    const source = formula.textContent ?? '';
    const maxExpand = DEFINES.test(source) ? Math.ceil(MOST_TOKENS / source.length) : MOST_EXPANDED;
    const drawn = document.createElement('span');
    try {
      render(source, drawn, { ...OPTIONS, maxExpand, displayMode: formula.matches('.math-display') });
      if (isDeep(drawn)) failed(formula, 'formula');
      else formula.replaceChildren(drawn);
    } catch {
      failed(formula, 'formula');
    }
  }
}

/** Return whether too many elements are inside one another. The browser has not laid them out yet. */
function isDeep(/** @type {Element} */ drawn) {
  let level = [drawn];
  for (let depth = 0; level.length && depth <= DEEPEST; depth += 1) level = level.flatMap((one) => [...one.children]);
  return level.length > 0;
}

/** Load the styles of formulas, once. */
function styled() {
  const href = fileOf('vendor/math.css');
  if (document.querySelector(`link[href="${href}"]`)) return undefined;
  const link = Object.assign(document.createElement('link'), { rel: 'stylesheet', href });
  document.head.append(link);
  return new Promise((resolve) => {
    link.onload = link.onerror = resolve;
  });
}
