// The past: who changed what, what that was, and ways back.
import { html, useState } from './vendor/ui.js';
import { api } from './api.js';
import { Question } from './dialog.js';
import { Revision } from './revision.js';
import { Trouble, Waiting, useLive, useLoad, walk } from './load.js';
import { Title } from './note.js';
import { useAction } from './preview.js';
import { noteHash, toast, vault } from './state.js';
import { standing } from './undo.js';

const COUNT = 100;

/** Of one note, or (null) of the vault. */
export function History({ name }) {
  const { data, error, again } = useLoad(() => api.get('log', { name, count: COUNT }), [name]);
  const [opened, setOpened] = useState(null);
  useLive(again);
  const edits = data?.edits ?? [];
  return html`<article class="history">
    ${
      name
        ? html`<${Title} name=${name} focus /><p><a href=${noteHash(name)}>Back to the note</a></p>`
        : html`<h2 class="title" tabindex="-1">History</h2>`
    }
    ${!name && vault.value?.can_write && data && html`<${Undo} edits=${edits} />`}
    <${Trouble} error=${error} again=${again} />
    ${!data && !error && html`<${Waiting} />`}
    ${data && !edits.length && html`<p class="empty">No edit is known.</p>`}
    <ul class="rows" onKeyDown=${walk} aria-label="Edits">
      ${edits.map(
        (edit) => html`<li key=${edit.rev}>
          <button type="button" class="row" data-row aria-expanded=${opened === edit.rev}
            onClick=${() => setOpened(opened === edit.rev ? null : edit.rev)}>
            <${When} time=${edit.time} /> <span class="what">${edit.title}</span> ${
              edit.client && html`<span class="tag">${edit.client}</span>`
            }
          </button>
          ${opened === edit.rev && html`<${Revision} name=${name} edit=${edit} />`}
        </li>`,
      )}
    </ul>
  </article>`;
}

const format = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });

const When = ({ time }) => {
  const date = new Date(time * 1000);
  return html`<time datetime=${date.toISOString()}>${format.format(date)}</time>`;
};

/** Take back the last edit, or make it again; what that is, is named first. */
function Undo({ edits }) {
  const [asked, setAsked] = useState(null); // 'undo' or 'redo'
  const { act, error } = useAction(async () => {
    const done = await api.post(asked, { count: 1 });
    toast([`${asked === 'undo' ? 'Taken back' : 'Made again'}: ${done.edits.join(', ')}.`, ...done.remarks].join(' '));
  });
  const { undo, redo } = vault.value.git ? {} : standing(edits); // commits of people are no edits of a tool
  const answer = (yes) => {
    setAsked(null);
    if (yes) act();
  };
  const named = asked === 'undo' ? undo : redo;
  return html`<div class="toolbar" role="toolbar" aria-label="Undo">
      <button type="button" onClick=${() => setAsked('undo')}>Undo the last edit…</button>
      <button type="button" onClick=${() => setAsked('redo')}>Redo…</button>
    </div>
    <${Trouble} error=${error} />
    ${
      asked &&
      html`<${Question} title=${asked === 'undo' ? 'Undo the last edit?' : 'Redo the last undo?'}
        yes=${asked === 'undo' ? 'Undo' : 'Redo'} onAnswer=${answer}>
      ${
        named
          ? html`<p>${asked === 'undo' ? 'This takes back' : 'This makes again'}: <strong>${named.title}</strong></p>`
          : html`<p>${
              vault.value.git ? 'It is the last one that a tool made; commits of your own stay.' : 'None is known.'
            }</p>`
      }
      <p class="quiet">All notes that it touched change with it; it is refused if one of them has changed since.</p>
    <//>`
    }`;
}
