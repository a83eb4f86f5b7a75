// Formulas, drawn by KaTeX. It sets styles one by one, which the page's policy allows.
import { render } from './vendor/math.js';
import { failed } from './drawn.js';

const OPTIONS = { throwOnError: true, strict: false, trust: false, maxExpand: 1000, maxSize: 50 };

/** Draw formulas. One with an error stays as it is written. */
export async function drawFormulas(/** @type {HTMLElement[]} */ formulas) {
  await styled();
  for (const formula of formulas) {
    const source = formula.textContent ?? '';
    const drawn = document.createElement('span');
    try {
      render(source, drawn, { ...OPTIONS, displayMode: formula.matches('.math-display') });
      formula.replaceChildren(drawn);
    } catch {
      failed(formula, 'formula');
    }
  }
}

/** Load the styles of formulas, once. */
function styled() {
  if (document.querySelector('link[href="vendor/math.css"]')) return undefined;
  const link = Object.assign(document.createElement('link'), { rel: 'stylesheet', href: 'vendor/math.css' });
  document.head.append(link);
  return new Promise((resolve) => {
    link.onload = link.onerror = resolve;
  });
}
