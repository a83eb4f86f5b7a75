// The notes that the open one links to.
import { html } from './vendor/ui.js';
import { formatNumber, moveInList } from './load.js';
import { noteHash } from './navigation.js';
import { canWrite } from './state.js';

/** @import { Note } from './messages.d.ts' */

/** @param {{ note: Note }} props */
export function LinksTo({ note: { links, link_count: count } }) {
  return html`<section aria-label="Links to">
    <h3>Links to <span class="count">${formatNumber(count)}</span></h3>
    ${!links.length && html`<p class="quiet">No other note.</p>`}
    <ul class="names" onKeyDown=${moveInList}>
      ${links.map(({ target, name }) => html`<${Name} key=${target} name=${name ?? target} missing=${!name} />`)}
    </ul>
    <${More} count=${count - links.length} />
  </section>`;
}

/**
 * The number of rows that a list has left out.
 * @param {{ count: number }} props
 */
export const More = ({ count }) => count > 0 && html`<p class="quiet">… and ${formatNumber(count)} more</p>`;

/** @param {{ name: string, missing: boolean }} props */
function Name({ name, missing }) {
  return html`<li class=${missing ? 'missing' : ''}>
    <a href=${noteHash(name)} data-row>${name}</a>
    ${
      missing &&
      html` <a class="tag" href=${noteHash(name)}>${canWrite(name) ? 'create' : 'not written yet'}<span
        class="unseen"> ${name}</span></a>`
    }
  </li>`;
}
