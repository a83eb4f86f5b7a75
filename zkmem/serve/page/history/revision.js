// One edit of the history: what it changed, what has changed since, and a way to restore its text.
import { html, useState } from '../vendor/ui.js';
import { api } from '../server/api.js';
import { ApiError } from '../server/error.js';
import { ChangedNotes } from '../review/changed.js';
import { Diff } from '../common/diff.js';
import { Waiting, useLoad } from '../common/load.js';
import { editHash, historyHash, noteHash } from '../navigation.js';
import { before, isNumber } from './past.js';
import { Restore } from './restore.js';
import { Sentence } from '../common/sentence.js';
import { route, vault } from '../state.js';
import { UndoDialog } from './undo.js';

/**
 * @import { Edit } from './past.js'
 * @typedef {'edit' | 'now' | 'text'} View
 */

const VIEWS = { edit: 'What it changed', now: 'What has changed since', text: 'The text then' };

/**
 * What an edit did to a note; with the name null, to each note that it touched.
 * @param {{ name: string | null, edit: Edit }} props
 */
export function Revision({ name, edit }) {
  const [asking, setAsking] = useState(false);
  const { rev, notes, title, tool, outside, undone } = edit;
  if (name) return html`<${OfNote} name=${name} rev=${rev} />`;
  const canUndo = vault.value?.can_write && isNumber(rev) && tool !== 'undo' && !undone && !outside.startsWith('git ');
  return html`<div class="revision">
    ${
      isNumber(rev) &&
      html`<div class="toolbar">${
        canUndo && html`<button type="button" class="danger" onClick=${() => setAsking(true)}>Undo this edit…</button>`
      }${route.value.list !== rev && html`<a href=${editHash(rev)}>Edit ${rev}</a>`}</div>`
    }
    ${
      asking &&
      html`<${UndoDialog} which=${{ edit: Number(rev) }} title="Undo this edit?" about=${title}
        onClose=${() => setAsking(false)} />`
    }
    ${
      isNumber(rev)
        ? html`<${ChangedNotes} load=${() => api.change({ edit: Number(rev) })} keys=${[rev]} then=${rev} />`
        : notes.map(
            (note) => html`<section key=${note}>
              <h3><a href=${historyHash(note)}>${note}</a></h3>
              <p><a href=${noteHash(note, '', { at: rev, named: 'then' })}>As it was then</a></p>
              <${Shown} view="edit" name=${note} rev=${rev} />
            </section>`,
          )
    }
    ${!notes.length && html`<p class="quiet">This edit touched no note.</p>`}
  </div>`;
}

/** @param {{ name: string, rev: string }} props */
function OfNote({ name, rev }) {
  const [view, setView] = useState(/** @type {View} */ ('edit'));
  const button = (/** @type {View} */ key) => html`<button key=${key} type="button" aria-pressed=${view === key}
    onClick=${() => setView(key)}>${VIEWS[key]}</button>`;
  return html`<div class="revision">
    <div class="toolbar" role="toolbar" aria-label=${`Revision ${rev}`}>
      ${button('edit')}${button('now')}${button('text')}
      <a class="button" href=${noteHash(name, '', { at: rev })}>As it was</a>
      ${vault.value?.can_write && html`<${Restore} name=${name} rev=${rev} />`}
    </div>
    ${
      view === 'edit' && isNumber(rev)
        ? html`<${ChangedNotes} load=${() => changeOf(Number(rev), name)} keys=${[rev]} />`
        : html`<${Shown} key=${view} view=${view} name=${name} rev=${rev} />`
    }
  </div>`;
}

/** Return what an edit did to a note; if the note had another name then, what it did to all notes. */
async function changeOf(/** @type {number} */ edit, /** @type {string} */ name) {
  const { notes, more } = await api.change({ edit });
  const own = notes.filter((note) => note.name === name || note.was === name);
  return own.length ? { notes: own } : { notes, more };
}

/** @param {{ view: View, name: string, rev: string }} props */
function Shown({ view, name, rev }) {
  const { data, error } = useLoad(() => LOADS[view](name, rev), [name, rev, view]);
  if (!data) return error ? html`<p class="quiet"><${Sentence} text=${error.message} /></p>` : html`<${Waiting} />`;
  if ('text' in data)
    return html`<pre class="diff plain" tabindex="0" role="group"
      aria-label=${`${VIEWS.text}: ${name}`}>${data.text}</pre>`;
  return data.diff
    ? html`<${Diff} text=${data.diff} label=${`${VIEWS[view]}: ${name}`} />`
    : html`<p class="quiet">Its text stayed the same.</p>`;
}

const LOADS = { edit: changedBy, now: api.diff, text: api.revision };

/** Return what an edit changed in a note; the whole text if the note is new. */
async function changedBy(/** @type {string} */ name, /** @type {string} */ rev) {
  try {
    return await api.diff(name, before(rev), rev);
  } catch (error) {
    if (!(error instanceof ApiError && error.kind === 'NoVersion')) throw error;
    return api.revision(name, rev);
  }
}
