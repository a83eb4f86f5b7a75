// A difference in the unified format, as lines with colours and with signs for those who see no colours.
import { html } from '../vendor/ui.js';
import { numberOf } from './numbers.js';

/** @import { Preview } from '../messages.d.ts' */

/** @type {Record<string, string>} */
const KINDS = { '+': 'added', '-': 'removed', '@': 'place' };
const MOST = 400; // lines; the rest is numberOf

/** @param {{ text: string, label: string }} props */
export function Diff({ text, label }) {
  const all = text
    .replace(/\n$/, '')
    .split('\n')
    .filter((line) => !/^(---|\+\+\+) /.test(line));
  return html`<${Lines} lines=${all} label=${label} />`;
}

const PLACE = /^@@ -\d+(?:,\d+)? \+(\d+)(?:,\d+)? @@.*/;

/** Return a line as it is shown: the marks of a place, `@@ -8,7 +9,7 @@`, as the number of its line. */
const shownLine = (/** @type {string} */ line) =>
  line.replace(PLACE, (_, number) => `Line ${Math.max(1, Number(number))}`); // 0, if no line is left

/**
 * Lines that begin with `+`, `-`, a blank, or `@@`.
 * @param {{ lines: string[], label: string }} props
 */
export function Lines({ lines, label }) {
  const shown = lines.slice(0, MOST);
  return html`<pre class="diff" tabindex="0" role="group" aria-label=${label}>${shown.map(
    (line, index) => html`<span key=${index} class=${KINDS[line[0]] ?? 'same'}>${shownLine(line) || ' '}${'\n'}</span>`,
  )}</pre>
    ${lines.length > MOST && html`<p class="quiet">and ${numberOf(lines.length - MOST, 'more line')}</p>`}`;
}

/**
 * The files that an edit would change, each with its difference.
 * @param {{ changes: Preview['changes'] }} props
 */
export function Changes({ changes }) {
  return html`<ul class="changes" aria-label="Files that change">
    ${changes.map(
      ({ path, to, diff }) => html`<li key=${path}>
        <details open=${changes.length <= 3}>
          <summary><span class="path">${path}</span>${to && html` <span class="moved">→ ${to}</span>`}</summary>
          ${
            diff
              ? html`<${Diff} text=${diff} label=${`Changes in ${path}`} />`
              : html`<p class="quiet">its text stays the same</p>`
          }
        </details>
      </li>`,
    )}
  </ul>`;
}
