// The question before edits are undone or redone: it shows which edits they are, what would change, and what stays.
import { html, useEffect } from '../vendor/ui.js';
import { api } from '../server/api.js';
import { Dialog } from '../common/dialog.js';
import { ErrorMessage, numberOf } from '../common/load.js';
import { Preview, useAction, usePreview } from '../common/preview.js';
import { NotesChanged } from '../review/changed.js';
import { Sentence } from '../common/sentence.js';
import { toast } from '../common/toasts.js';
import { undoing } from '../state.js';

/**
 * `edit` is the number of an edit, by default of the last one; with `sitting`, it stands for its whole sitting. With
 * `note`, it is what this edit and the client's others since `first` did to this note, or only a passage of that.
 * @typedef {{ edit?: number, sitting?: boolean, note?: string, first?: number, passage?: number }} Which
 */

/**
 * `about` says what is undone, if the page knows it before the server answers.
 * @param {{ which: Which, action?: 'undo' | 'redo', title: string, about?: string, onDone?: () => void,
 *   onClose: () => void }} props
 */
export function UndoDialog({ which, action = 'undo', title, about = '', onDone, onClose }) {
  const { edit, sitting = false } = which;
  const state = usePreview(action, sitting ? { ...which, partial: true } : which);
  const left = state.plan?.left ?? [];
  useEffect(() => {
    addEventListener('hashchange', onClose); // a link in a sentence leads to another edit
    return () => removeEventListener('hashchange', onClose);
  }, []);
  const { act, busy, error } = useAction(async () => {
    const done = await (action === 'undo' ? api.undo({ ...which, partial: left.length > 0 }) : api.redo({ edit }));
    const verb = action === 'undo' ? 'Undone' : 'Redone';
    const but = done.left.length ? `, but ${stays(done.left.length)}` : '';
    const back = action === 'undo' ? { title: 'Redo…', act: () => (undoing.value = 'redo') } : undefined;
    const what = about || `edit ${done.edits.join(', edit ')}`;
    toast([`${verb}: ${what}${but}.`, ...done.remarks].join(' '), 'info', back);
    onDone?.();
    onClose();
  });
  const [verb, other] = action === 'undo' ? ['Undo', 'redo the undo'] : ['Redo', 'undo it again'];
  return html`<${Dialog} title=${title} onClose=${onClose} busy=${busy} wide>
    <form onSubmit=${act}>
      ${about && html`<p>${about}</p>`}
      ${!about && state.plan && html`<h3>Edit ${state.plan.edits.join(', edit ')}</h3>`}
      <p class="quiet">What was written since stays. You can ${other}.</p>
      ${
        left.length > 0 &&
        html`<p><strong>${stays(left.length)}:</strong></p>
          <ul>${left.map((one) => html`<li key=${one.edit}><${Sentence} text=${one.reason} /></li>`)}</ul>`
      }
      <${Preview} state=${state} summary=${() => ''}>${
        state.plan &&
        html`<${NotesChanged} notes=${state.plan.notes} more=${state.plan.changes.length - state.plan.notes.length} />`
      }<//>
      <${ErrorMessage} error=${error} />
      <div class="actions">
        <button type="button" data-first onClick=${onClose} disabled=${busy}>Cancel</button>
        <button type="submit" class="primary" disabled=${busy || !state.plan}>${
          left.length ? `${verb} the rest` : verb
        }</button>
      </div>
    </form>
  <//>`;
}

const stays = (/** @type {number} */ count) => `${numberOf(count, 'edit')} ${count === 1 ? 'stays' : 'stay'}`;

export const TITLES = { undo: 'Undo the last edit?', redo: 'Redo the last undo?' };

const close = () => (undoing.value = null);

/** The question whether to undo the last edit of the vault, or to redo the last undo, while the question is open. */
export const UndoLast = () =>
  undoing.value &&
  html`<${UndoDialog} which=${{}} action=${undoing.value} title=${TITLES[undoing.value]} onClose=${close} />`;
