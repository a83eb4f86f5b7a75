// The history: who changed what, and the ways to undo it.
import { html, useState } from './vendor/ui.js';
import { api } from './api.js';
import { Question } from './dialog.js';
import { Revision } from './revision.js';
import { ErrorMessage, Waiting, moveInList, useChanges, useLoad } from './load.js';
import { noteHash } from './navigation.js';
import { Title } from './note.js';
import { isOwn } from './past.js';
import { useAction } from './preview.js';
import { vault } from './state.js';
import { toast } from './toasts.js';
import { nextUndoAndRedo } from './undo.js';
import { When } from './when.js';

/** @import { Edit } from './past.js' */

const COUNT = 100;

/**
 * The history of one note; with the name null, of the vault.
 * @param {{ name: string | null }} props
 */
export function History({ name }) {
  const { data, error, again } = useLoad(() => api.log(name, COUNT), [name]);
  const [opened, setOpened] = useState(/** @type {string | null} */ (null));
  useChanges(again);
  const edits = data?.edits ?? [];
  return html`<article class="history">
    ${
      name
        ? html`<${Title} name=${name} focus /><p><a href=${noteHash(name)}>Back to the note</a></p>`
        : html`<h2 class="title" tabindex="-1">History</h2>`
    }
    ${!name && vault.value?.can_write && data && html`<${Undo} edits=${edits} />`}
    <${ErrorMessage} error=${error} again=${again} />
    ${!data && !error && html`<${Waiting} />`}
    ${data && !edits.length && html`<p class="empty">No edit is known.</p>`}
    <ul class="rows" onKeyDown=${moveInList} aria-label="Edits">
      ${edits.map(
        (edit) => html`<li key=${edit.rev}>
          <button type="button" class="row" data-row aria-expanded=${opened === edit.rev}
            onClick=${() => setOpened(opened === edit.rev ? null : edit.rev)}>
            <${When} time=${edit.time} /> <span class="what">${edit.title}</span> ${
              edit.client && html`<span class="tag">${isOwn(edit.client) ? 'you' : edit.client}</span>`
            }
          </button>
          ${opened === edit.rev && html`<${Revision} name=${name} edit=${edit} />`}
        </li>`,
      )}
    </ul>
  </article>`;
}

/**
 * Buttons that undo the last edit or redo it, after a question that names the edit.
 * @param {{ edits: Edit[] }} props
 */
function Undo({ edits }) {
  const [kind, setKind] = useState(/** @type {'undo' | 'redo' | null} */ (null));
  const { act, error } = useAction(async () => {
    const done = await (kind === 'undo' ? api.undo : api.redo)({ count: 1 });
    toast([`${kind === 'undo' ? 'Undone' : 'Redone'}: ${done.edits.join(', ')}.`, ...done.remarks].join(' '));
  });
  const git = vault.value?.git;
  const answer = (/** @type {boolean} */ yes) => {
    setKind(null);
    if (yes) act();
  };
  const edit = kind && !git ? nextUndoAndRedo(edits)[kind] : null; // a commit may be no edit of a tool
  return html`<div class="toolbar" role="toolbar" aria-label="Undo">
      <button type="button" onClick=${() => setKind('undo')}>Undo the last edit…</button>
      <button type="button" onClick=${() => setKind('redo')}>Redo…</button>
    </div>
    <${ErrorMessage} error=${error} />
    ${
      kind &&
      html`<${Question} title=${kind === 'undo' ? 'Undo the last edit?' : 'Redo the last undo?'}
        yes=${kind === 'undo' ? 'Undo' : 'Redo'} onAnswer=${answer}>
      ${
        edit
          ? html`<p>${kind === 'undo' ? 'This undoes' : 'This redoes'}: <strong>${edit.title}</strong></p>`
          : html`<p>${
              git ? 'It is the last edit that a tool made; your own commits stay.' : 'No such edit is known.'
            }</p>`
      }
      <p class="quiet">What was written since stays. If a later edit changed the same lines, nothing is undone.</p>
    <//>`
    }`;
}
