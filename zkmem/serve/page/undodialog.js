// The question before edits are undone or redone: it shows which edits they are, and what would change.
import { html } from './vendor/ui.js';
import { api } from './api.js';
import { Dialog } from './dialog.js';
import { ErrorMessage } from './load.js';
import { Preview, useAction, usePreview } from './preview.js';
import { toast } from './toasts.js';

/**
 * `edit` is the number of an edit, by default of the last one; with `sitting`, it stands for its whole sitting.
 * @typedef {{ edit?: number, sitting?: boolean }} Which
 */

/**
 * `about` says what is undone, if the page knows it before the server answers.
 * @param {{ which: Which, action?: 'undo' | 'redo', about?: string, onClose: () => void }} props
 */
export function UndoDialog({ which, action = 'undo', about = '', onClose }) {
  const { edit, sitting = false } = which;
  const state = usePreview(action, which);
  const { act, busy, error } = useAction(async () => {
    const done = await (action === 'undo' ? api.undo(which) : api.redo({ edit }));
    const verb = action === 'undo' ? 'Undone' : 'Redone';
    toast([`${verb}: ${about || done.edits.join(', ')}.`, ...done.remarks].join(' '));
    onClose();
  });
  const [verb, other] = action === 'undo' ? ['Undo', 'redo the undo'] : ['Redo', 'undo it again'];
  const title = sitting ? `${verb} all of this?` : edit ? `${verb} this edit?` : `${verb} the last ${last(action)}?`;
  return html`<${Dialog} title=${title} onClose=${onClose} busy=${busy} wide>
    <form onSubmit=${act}>
      ${about && html`<p>${about}</p>`}
      ${!about && state.plan && html`<p><strong>${state.plan.edits.join(', ')}</strong></p>`}
      <p class="quiet">What was written since stays. You can ${other}.</p>
      <${Preview} state=${state} summary=${() => ''} />
      <${ErrorMessage} error=${error} />
      <div class="actions">
        <button type="button" data-first onClick=${onClose} disabled=${busy}>Cancel</button>
        <button type="submit" class="primary" disabled=${busy || !state.plan}>${verb}</button>
      </div>
    </form>
  <//>`;
}

const last = (/** @type {'undo' | 'redo'} */ action) => (action === 'undo' ? 'edit' : 'undo');
