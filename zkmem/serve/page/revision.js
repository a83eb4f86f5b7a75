// One edit of the past: what it changed, what has changed since, and the way back to it.
import { html, useState } from './vendor/ui.js';
import { api } from './api.js';
import { Diff } from './diff.js';
import { Question } from './dialog.js';
import { Trouble, Waiting, useLoad } from './load.js';
import { useAction } from './preview.js';
import { historyHash, open, toast, vault } from './state.js';

const VIEWS = { edit: 'What it changed', now: 'What has changed since', text: 'The text then' };

/** `name` is null in the history of the vault: then it is about each note that the edit touched. */
export function Revision({ name, edit: { rev, notes } }) {
  if (name) return html`<${OfNote} name=${name} rev=${rev} />`;
  return html`<div class="revision">
    ${notes.map(
      (note) => html`<section key=${note}>
        <h3><a href=${historyHash(note)}>${note}</a></h3>
        <${Shown} view="edit" name=${note} rev=${rev} />
      </section>`,
    )}
    ${!notes.length && html`<p class="quiet">It touched no note.</p>`}
  </div>`;
}

function OfNote({ name, rev }) {
  const [view, setView] = useState('edit');
  const [asking, setAsking] = useState(false);
  const { act, error } = useAction(async () => {
    const done = await api.post('restore', { name, rev });
    const said = done.outcome === 'unchanged' ? 'has that text already' : `has the text of ${rev} again`;
    toast([`${done.name} ${said}.`, ...done.remarks].join(' '));
    open(done.name);
  });
  const answer = (yes) => {
    setAsking(false);
    if (yes) act();
  };
  const button = ([key, title]) =>
    html`<button key=${key} type="button" aria-pressed=${view === key} onClick=${() => setView(key)}>${title}</button>`;
  return html`<div class="revision">
    <div class="toolbar" role="toolbar" aria-label=${`Revision ${rev}`}>
      ${Object.entries(VIEWS).map(button)}
      ${
        vault.value?.can_write &&
        html`<button type="button" class="danger" onClick=${() => setAsking(true)}>Restore…</button>`
      }
    </div>
    <${Trouble} error=${error} />
    <${Shown} key=${view} view=${view} name=${name} rev=${rev} />
    ${
      asking &&
      html`<${Question} title=${`Restore ${name}?`} yes="Restore" onAnswer=${answer}>
      <p>The note gets the text that it had after edit <strong>${rev}</strong>. The text of now stays in the
        history.</p>
    <//>`
    }
  </div>`;
}

function Shown({ view, name, rev }) {
  const { data, error } = useLoad(() => LOADS[view](name, rev), [name, rev, view]);
  if (!data) return error ? html`<p class="quiet">${error.message}</p>` : html`<${Waiting} />`;
  if (data.text !== undefined)
    return html`<pre class="diff plain" tabindex="0" role="group"
      aria-label=${`${VIEWS.text}: ${name}`}>${data.text}</pre>`;
  return data.diff
    ? html`<${Diff} text=${data.diff} label=${`${VIEWS[view]}: ${name}`} />`
    : html`<p class="quiet">Its text stayed as it was.</p>`;
}

const LOADS = {
  edit: changedBy,
  now: (name, rev) => api.get('diff', { name, rev }),
  text: (name, rev) => api.get('revision', { name, rev }),
};

/** What an edit changed in a note; its whole text where nothing is known of it before. */
async function changedBy(name, rev) {
  try {
    return await api.get('diff', { name, rev: before(rev), to: rev });
  } catch (error) {
    if (error.kind !== 'NoVersion') throw error;
    return LOADS.text(name, rev);
  }
}

/** Edits are numbered; commits have a parent. */
const before = (rev) => (/^\d{1,6}$/.test(rev) ? String(rev - 1) : `${rev}~1`);
