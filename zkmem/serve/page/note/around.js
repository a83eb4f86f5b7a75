// The notes that the open one links to, and those that linked to it at an earlier moment.
import { html } from '../vendor/ui.js';
import { formatNumber, moveInList } from '../common/load.js';
import { linkHash } from '../navigation.js';
import { canWrite, route } from '../state.js';

/** @import { Note } from '../messages.d.ts' */

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

/** @param {{ note: Note }} props */
export function LinkedFrom({ note: { backlinks, backlink_count: count } }) {
  return html`<section aria-label="Linked from">
    <h3>Linked from <span class="count">${formatNumber(count)}</span></h3>
    ${!count && html`<p class="quiet">No note linked here.</p>`}
    <ul class="names" onKeyDown=${moveInList}>
      ${backlinks.map((name) => html`<${Name} key=${name} name=${name} missing=${false} />`)}
    </ul>
    <${More} count=${count - backlinks.length} />
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
    <a href=${linkHash(name)} data-row>${name}</a>
    ${
      missing &&
      !route.value.at &&
      html` <a class="tag" href=${linkHash(name)}>${canWrite(name) ? 'create' : 'not written yet'}<span
        class="unseen"> ${name}</span></a>`
    }
  </li>`;
}
