// How much an edit has changed.
import { html } from '../vendor/ui.js';
import { formatNumber, numberOf } from '../common/numbers.js';

/**
 * How many words a change has added and removed; null if that is not known.
 * @param {{ added: number | null, removed: number | null }} props
 */
export function Size({ added, removed }) {
  if (!added && !removed) return null;
  const words = `${numberOf(added ?? 0, 'word')} added, ${formatNumber(removed ?? 0)} removed`;
  return html`<span class="words"><span class="unseen">${words}</span><span aria-hidden="true">${
    added ? html`<ins class="marked">+${formatNumber(added)}</ins> ` : ''
  }${removed ? html`<del class="marked">−${formatNumber(removed)}</del> ` : ''}${
    (removed || added) === 1 ? 'word' : 'words'
  }</span></span>`;
}
