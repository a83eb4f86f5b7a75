// The properties of a note: texts, links, tags, addresses and files.
import { html } from '../vendor/ui.js';
import { openFile } from './files.js';
import { linkHash, tagHash } from '../navigation.js';

/** @import { Note } from '../messages.d.ts' */

/**
 * @typedef {Note['values'][number]} Property
 * @typedef {Property['items'][number]} Item
 */

/** @param {{ values: Property[] }} props */
export function Properties({ values }) {
  if (!values.length) return null;
  return html`<table class="properties">
    <caption class="unseen">Properties</caption>
    <tbody>
      ${values.map(
        (one) => html`<tr key=${one.key}><th scope="row" dir="auto">${one.key}</th>
          <td dir="auto"><${Values} ...${one} /></td></tr>`,
      )}
    </tbody>
  </table>`;
}

/** @param {Property} props */
function Values({ is_list: isList, items }) {
  const values = items.map((item, at) => html`<${Value} key=${at} ...${item} />`);
  if (!isList) return values;
  return html`<ul class="values">${values.map((value, at) => html`<li key=${at} dir="auto">${value}</li>`)}</ul>`;
}

/** @param {Item} props */
function Value({ text, kind, target, subpath }) {
  if (kind === 'note') return html`<a href=${linkHash(target, subpath)}>${text}</a>`;
  if (kind === 'missing') return html`<a class="missing" href=${linkHash(target)}>${text}</a>`;
  if (kind === 'gone') return html`<span class="gone">${text}</span>`;
  if (kind === 'tag') return html`<a class="tag" href=${tagHash(target)}>${text}</a>`;
  if (kind === 'address') return html`<a href=${target} target="_blank" rel="noopener noreferrer">${text}</a>`;
  if (kind === 'file')
    return html`<button type="button" class="link" onClick=${() => openFile(target)}>${text}</button>`;
  return text;
}
