// What to tidy: the findings by kind, each kind with its number.
import { html } from './vendor/ui.js';
import { api } from './api.js';
import { Lists } from './lists.js';
import { ErrorMessage, Waiting, formatNumber, useChanges, useLoad } from './load.js';

/**
 * @import { Findings } from './messages.d.ts'
 * @typedef {keyof Findings['counts']} Kind
 */

/** @type {Record<string, { text: string, counts: Kind }>} */
export const KINDS = {
  missing: { text: 'Missing', counts: 'missing' },
  ambiguous: { text: 'Ambiguous', counts: 'ambiguous' },
  conflict: { text: 'Conflicts', counts: 'conflict' },
  check: { text: 'Other findings', counts: 'other' },
  suggestions: { text: 'Suggestions', counts: 'suggestions' },
};

/**
 * The findings of one kind; with the list null, of the first kind that has some.
 * @param {{ list: string | null }} props
 */
export function Tidy({ list }) {
  const { data, error, again } = useLoad(() => api.findings('conflict', 1), []);
  useChanges(again);
  if (!data) return error ? html`<${ErrorMessage} error=${error} again=${again} />` : html`<${Waiting} />`;
  const shown = list ?? Object.keys(KINDS).find((key) => data.counts[KINDS[key].counts] > 0) ?? 'missing';
  return html`<nav class="kinds" aria-label="What to tidy">
      ${Object.entries(KINDS).map(
        ([key, { text, counts }]) => html`<a key=${key} href=${`#/list/${key}`}
          aria-current=${key === shown ? 'page' : undefined}
          >${text}${' '}<span class="count">${formatNumber(data.counts[counts])}</span></a>`,
      )}
    </nav>
    <${Lists} key=${shown} list=${shown} />`;
}
