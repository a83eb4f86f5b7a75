// The colours of code, by highlight.js. Its HTML is the escaped code with spans around it.
import { highlighter } from './vendor/code.js';

/** Colour code in languages that are known. */
export function colourCode(/** @type {HTMLElement[]} */ blocks) {
  for (const block of blocks) {
    const language = block.className.replace('language-', '');
    if (!highlighter.getLanguage(language)) continue;
    block.innerHTML = highlighter.highlight(block.textContent ?? '', { language, ignoreIllegals: true }).value;
  }
}
