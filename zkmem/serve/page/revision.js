// One edit of the past: what it changed, what has changed since, and the way back to it.
import { html, useState } from './vendor/ui.js';
import { api } from './api.js';
import { Diff } from './diff.js';
import { Question } from './dialog.js';
import { Trouble, Waiting, useLoad } from './load.js';
import { useDeed } from './preview.js';
import { open, toast, vault } from './state.js';

const VIEWS = { edit: 'What it changed', now: 'What has changed since', text: 'The text then' };

/** `name` is null in the history of the vault: then the notes of the edit are offered. */
export function Revision({ name, edit, before }) {
  const notes = edit.notes ?? [];
  if (name) return html`<${OfNote} name=${name} rev=${edit.rev} before=${before} />`;
  return html`<div class="revision">
    ${notes.length
      ? html`<p>Notes: ${notes.map((note, index) => html`${index > 0 && ', '}<a key=${note} href=${`#/history/${note.split('/').map(encodeURIComponent).join('/')}`}>${note}</a>`)}</p>`
      : html`<p class="quiet">Open a note and choose History to see what changed in it.</p>`}
  </div>`;
}

function OfNote({ name, rev, before }) {
  const [view, setView] = useState(before ? 'edit' : 'text');
  const [asking, setAsking] = useState(false);
  const { act, error } = useDeed(async () => {
    const done = await api.post('restore', { name, rev });
    toast([done.outcome === 'unchanged' ? `${done.name} has that text already.` : `${done.name} has the text of ${rev} again.`, ...done.remarks].join(' '));
    open(done.name);
  });
  const answer = (yes) => {
    setAsking(false);
    if (yes) act();
  };
  const views = Object.entries(VIEWS).filter(([key]) => before || key !== 'edit');
  return html`<div class="revision">
    <div class="deeds" role="toolbar" aria-label=${`Revision ${rev}`}>
      ${views.map(([key, title]) => html`<button key=${key} type="button" aria-pressed=${view === key} onClick=${() => setView(key)}>${title}</button>`)}
      ${vault.value?.can_write && html`<button type="button" class="danger" onClick=${() => setAsking(true)}>Restore…</button>`}
    </div>
    <${Trouble} error=${error} />
    <${Shown} key=${view} view=${view} name=${name} rev=${rev} before=${before} />
    ${asking &&
    html`<${Question} title=${`Restore ${name}?`} yes="Restore" onAnswer=${answer}>
      <p>The note gets the text that it had after edit <strong>${rev}</strong>. The text of now stays in the history.</p>
    <//>`}
  </div>`;
}

function Shown({ view, name, rev, before }) {
  const load = {
    edit: () => api.get('diff', { name, rev: before, to: rev }),
    now: () => api.get('diff', { name, rev }),
    text: () => api.get('revision', { name, rev }),
  }[view];
  const { data, error } = useLoad(load, [name, rev, view]);
  if (!data) return error ? html`<${Trouble} error=${error} />` : html`<${Waiting} />`;
  if (view === 'text') return html`<pre class="diff plain" tabindex="0" role="group" aria-label=${VIEWS.text}>${data.text}</pre>`;
  return data.diff ? html`<${Diff} text=${data.diff} label=${VIEWS[view]} />` : html`<p class="quiet">No difference.</p>`;
}
