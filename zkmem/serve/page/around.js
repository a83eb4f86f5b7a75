// What is around a note's text: its properties, the notes that it links to, and those that link to it.
import { html } from './vendor/ui.js';
import { formatNumber, moveInList, numberOf } from './load.js';
import { noteHash } from './navigation.js';
import { canWrite } from './state.js';

/** @import { Note } from './messages.d.ts' */

/** @param {{ properties: Note['properties'] }} props */
export function Properties({ properties }) {
  if (!properties.length) return null;
  return html`<table class="properties">
    <caption class="unseen">Properties</caption>
    <tbody>
      ${properties.map(([key, value]) => html`<tr key=${key}><th scope="row">${key}</th><td>${value}</td></tr>`)}
    </tbody>
  </table>`;
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
