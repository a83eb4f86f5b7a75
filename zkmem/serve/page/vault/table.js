// A view of a .base file: a table of notes, sorted by a click on a column, and edited cell by cell.
import { html, useState } from '../vendor/ui.js';
import { api } from '../server/api.js';
import { ErrorMessage, Waiting, formatNumber, numberOf, useChanges, useLoad } from '../common/load.js';
import { baseHash, go, noteHash } from '../navigation.js';
import { Field } from '../note/properties.js';
import { canWrite } from '../state.js';
import { showError } from '../common/toasts.js';

/**
 * @import * as Messages from '../messages.d.ts'
 * @typedef {Messages.Table['columns'][number]} Column
 * @typedef {Messages.Table['rows'][number]} Row
 * @typedef {Row['cells'][number]} Cell
 */

const PAGE = 200; // rows that are loaded at once

/** @param {{ base: string, view: string }} props */
export function Base({ base, view }) {
  const [sort, setSort] = useState('');
  const [count, setCount] = useState(PAGE);
  const { data: bases } = useLoad(api.bases, [base]);
  const { data, error, again } = useLoad(() => api.table({ base, view, sort, count }), [base, view, sort, count]);
  useChanges(again);
  const views = bases?.bases.find(({ path }) => path === base)?.views ?? [];
  return html`<article class="base">
    <h2 class="title" tabindex="-1">
      ${base}${' '}
      ${data && html`<span class="count" title=${numberOf(data.total, 'note')}>${formatNumber(data.total)}</span>`}
    </h2>
    ${
      views.length > 1 &&
      html`<label class="quiet"
        >View
        <select
          value=${view || views[0]}
          onChange=${(/** @type {{ currentTarget: HTMLSelectElement }} */ { currentTarget }) =>
            go(baseHash(base, currentTarget.value))}
        >
          ${views.map((one) => html`<option key=${one} selected=${one === (view || views[0])}>${one}</option>`)}
        </select></label
      >`
    }
    <${ErrorMessage} error=${error} again=${again} />
    ${!data && !error && html`<${Waiting} />`}
    ${data?.remarks.map((remark) => html`<p class="quiet" key=${remark}>${remark}</p>`)}
    ${data && html`<${Table} table=${data} name=${view || base} sort=${sort} setSort=${setSort} again=${again} />`}
    ${
      data?.next &&
      html`<button
        type="button"
        onClick=${() => setCount(count + PAGE)}
        disabled=${count >= 1000}
      >
        More
      </button>`
    }
  </article>`;
}

/**
 * @param {{ table: Messages.Table, name: string, sort: string, setSort: (sort: string) => void,
 *   again: () => void }} props
 */
function Table({ table: { title: first, columns, rows, groups, summaries }, name, sort, setSort, again }) {
  const sizes = new Map(groups.map(({ value, size }) => [value, size]));
  const header = (/** @type {string} */ key, /** @type {string} */ title) => {
    const order = sort === key ? 'ascending' : sort === `-${key}` ? 'descending' : undefined;
    const next = { ascending: `-${key}`, descending: '', none: key }[order ?? 'none'];
    return html`<th key=${key} scope="col" aria-sort=${order}>
      <button type="button" onClick=${() => setSort(next)}>${title}</button>
    </th>`;
  };
  const summary = (/** @type {string} */ key) => {
    const found = summaries.find(({ column }) => column === key);
    return found && `${found.name}: ${found.value}`;
  };
  return html`<div
    class="scrolled"
    tabindex="0"
    role="region"
    aria-label=${`Table ${name}`}
  >
    <table>
      <thead>
        <tr>
          ${header('file.name', first === 'note' ? 'Note' : first)}
          ${columns.map(({ key, title }) => header(key, title))}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          (row, at) =>
            html` ${
              groups.length > 0 &&
              row.group !== rows[at - 1]?.group &&
              html`<tr key=${`group ${row.group}`}>
                  <th
                    class="group"
                    scope="rowgroup"
                    colspan=${columns.length + 1}
                  >
                    ${row.group || 'empty'}${' '}
                    <span class="count">${sizes.get(row.group)}</span>
                  </th>
                </tr>`
            }
              <tr key=${row.note}>
                <th scope="row">
                  <a href=${noteHash(row.note)}>${row.note}</a>
                </th>
                ${row.cells.map(
                  (cell, number) =>
                    html`<td key=${columns[number].key}>
                      <${Value}
                        column=${columns[number]}
                        cell=${cell}
                        note=${row.note}
                        again=${again}
                      />
                    </td>`,
                )}
              </tr>`,
        )}
      </tbody>
      ${
        summaries.length > 0 &&
        html`<tfoot>
          <tr>
            <th scope="row">${summary('file.name')}</th>
            ${columns.map(({ key }) => html`<td key=${key}>${summary(key)}</td>`)}
          </tr>
        </tfoot>`
      }
    </table>
  </div>`;
}

/** @param {{ column: Column, cell: Cell, note: string, again: () => void }} props */
function Value({ column: { key, title, editable }, cell: { text, type }, note, again }) {
  const [editing, setEditing] = useState(false);
  const label = `${title} of ${note}`;
  if (!editable || !canWrite(note) || !EDITABLE.has(type)) return shown(text);
  const save = (/** @type {string} */ written) => {
    setEditing(false);
    if (written === text) return;
    const value = valueOf(written, type);
    api
      .setProperties({
        names: [note],
        properties: { [key.replace(/^note\./, '')]: value },
      })
      .then(again, showError);
  };
  if (type === 'boolean') {
    return html`<input
      type="checkbox"
      aria-label=${label}
      checked=${text === 'true'}
      onChange=${() => save(text === 'true' ? 'false' : 'true')}
    />`;
  }
  if (editing)
    return html`<${Field}
      label=${label}
      text=${text}
      save=${save}
      cancel=${() => setEditing(false)}
    />`;
  return html`${LINK.test(text) && shown(text)}
    <button
      type="button"
      class="cell"
      aria-label=${`Edit ${label}: ${text || 'empty'}`}
      onClick=${() => setEditing(true)}
    >
      ${LINK.test(text) ? '✎' : text || '–'}
    </button>`;
}

const EDITABLE = new Set(['string', 'number', 'boolean', 'date', 'list', 'link', 'null']);
const LINK = /^\[\[([^[\]|]+)(?:\|([^[\]]*))?\]\]$/;

/** Return what a cell shows: a link to a note as a link. */
function shown(/** @type {string} */ text) {
  const match = LINK.exec(text);
  return match ? html`<a href=${noteHash(match[1])}>${match[2] ?? match[1]}</a>` : text;
}

/**
 * Return the value that a person wrote in a cell of this type. An empty cell gives null, which removes the property.
 * @returns {string | number | boolean | string[] | null}
 */
function valueOf(/** @type {string} */ written, /** @type {string} */ type) {
  const text = written.trim();
  if (!text) return null;
  if (type === 'boolean') return text === 'true';
  if (type === 'list')
    return text
      .split(',')
      .map((item) => item.trim())
      .filter(Boolean);
  const isNumber = type !== 'string' && /^-?\d+(\.\d+)?$/.test(text);
  return isNumber ? Number(text) : text;
}
