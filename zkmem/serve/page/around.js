// What is around a note's text: its properties, the notes that it links to, and those that link to it.
import { html } from './vendor/ui.js';
import { openFile } from './files.js';
import { formatNumber, moveInList, numberOf } from './load.js';
import { noteHash, tagHash } from './navigation.js';
import { canWrite } from './state.js';

/** @import { Note } from './messages.d.ts' */

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
  if (kind === 'note') return html`<a href=${noteHash(target, subpath)}>${text}</a>`;
  if (kind === 'missing') return html`<a class="missing" href=${noteHash(target)}>${text}</a>`;
  if (kind === 'tag') return html`<a class="tag" href=${tagHash(target)}>${text}</a>`;
  if (kind === 'address') return html`<a href=${target} target="_blank" rel="noopener noreferrer">${text}</a>`;
  if (kind === 'file')
    return html`<button type="button" class="link" onClick=${() => openFile(target)}>${text}</button>`;
  return text;
}

/** @param {{ note: Note }} props */
export function Around({ note }) {
  return html`<div class="around">
    <${Names} title="Links to" count=${note.link_count}
      rows=${note.links.map(({ target, name }) => ({ name: name ?? target, missing: !name }))} />
    <${Names} title="Linked from" count=${note.backlink_count} rows=${note.backlinks.map((name) => ({ name }))} />
  </div>`;
}

/** @param {{ title: string, count: number, rows: { name: string, missing?: boolean }[] }} props */
function Names({ title, count, rows }) {
  return html`<section>
    <h3>${title} <span class="count">${formatNumber(count)}</span></h3>
    ${!rows.length && html`<p class="quiet">nothing</p>`}
    <ul class="names" onKeyDown=${moveInList}>
      ${rows.map((row) => html`<${Name} key=${row.name} ...${row} />`)}
    </ul>
    <${More} count=${count - rows.length} />
  </section>`;
}

/**
 * The number of rows that a list has left out.
 * @param {{ count: number }} props
 */
export const More = ({ count }) => count > 0 && html`<p class="quiet">… and ${formatNumber(count)} more</p>`;

/** @param {{ name: string, missing?: boolean }} props */
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

/**
 * The figures of a note in one line.
 * @param {{ note: Note }} props
 */
export function Figures({ note }) {
  const { weight, characters, link_count: links, backlink_count: backlinks } = note;
  const parts = [
    `weight ${Number(weight.toPrecision(4))}`,
    numberOf(characters, 'character'),
    numberOf(links, 'link'),
    numberOf(backlinks, 'backlink'),
  ];
  return html`<p class="figures">${parts.join(' · ')}</p>`;
}
