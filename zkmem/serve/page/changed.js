// What edits did to one note: its changed blocks, with the words that were added and removed.
import { html } from './vendor/ui.js';
import { Body } from './body.js';
import { formatNumber, numberOf } from './load.js';
import { noteHash } from './navigation.js';

/** @import * as Messages from './messages.d.ts' */

/** @param {{ note: Messages.Changes['notes'][number] }} props */
export function Changed({ note }) {
  const { name, was, outcome, added, removed, left, trouble, html: source } = note;
  return html`<section class="changed" aria-label=${name}>
    <h4>
      ${was && was !== name && html`<span class="was">${was}</span> → `}
      ${outcome === 'deleted' ? html`<span class="was">${name}</span>` : html`<a href=${noteHash(name)}>${name}</a>`}
      ${' '}<span class="tag">${outcome}</span>
      ${' '}<${Words} added=${added} removed=${removed} />
    </h4>
    ${source && html`<${Body} name=${name} source=${source} />`}
    ${left > 0 && html`<p class="quiet">${numberOf(left, 'more changed block')}</p>`}
    ${trouble && html`<p class="quiet">${trouble}</p>`}
  </section>`;
}

/** @param {{ added: number, removed: number }} props */
function Words({ added, removed }) {
  if (!added && !removed) return null;
  return html`<span class="words" aria-label=${`${numberOf(added, 'word')} added, ${formatNumber(removed)} removed`}>
    ${added > 0 && html`<ins class="marked">+${formatNumber(added)}</ins>`}${' '}
    ${removed > 0 && html`<del class="marked">−${formatNumber(removed)}</del>`}
  </span>`;
}
