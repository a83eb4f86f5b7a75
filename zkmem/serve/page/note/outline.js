// The headings of the open note, as links that lead to them.
import { html } from '../vendor/ui.js';
import { placeHash } from '../navigation.js';
import { OUTSIDE } from './places.js';

/**
 * @import { Note } from '../messages.d.ts'
 * @typedef {{ level: number, text: string, subpath: string }} Row
 */

const MOST = 200;

/** @param {{ note: Note }} props */
export function Outline({ note: { html: source, headings: whole } }) {
  const rows = whole.length ? whole : headings(source);
  if (rows.length < 2) return null;
  const top = Math.min(...rows.map(({ level }) => level));
  return html`<section aria-label="Outline">
    <h3>Outline</h3>
    <ul class="outline">
      ${rows.map(
        ({ level, text, subpath }, at) => html`<li key=${at} style=${{ '--level': level - top }}>
          <a href=${placeHash(subpath)}>${text}</a></li>`,
      )}
    </ul>
  </section>`;
}

/**
 * Return the first headings of a text that are its own, each with the subpath that leads to it.
 * @returns {Row[]}
 */
function headings(/** @type {string} */ source) {
  const { body } = new DOMParser().parseFromString(source, 'text/html');
  const own = [...body.querySelectorAll('[data-heading]')].filter((one) => !one.closest(OUTSIDE)).slice(0, MOST);
  /** @type {{ level: number, key: string }[]} */
  let above = [];
  return own.map((heading) => {
    const level = Number(heading.tagName[1]);
    const key = heading.getAttribute('data-heading') ?? '';
    above = [...above.filter((one) => one.level < level), { level, key }];
    const text = heading.textContent?.trim() || key;
    return { level, text, subpath: above.map((one) => `#${one.key}`).join('') };
  });
}
