// The question before an edit or a sitting is undone: it shows what would change.
import { html } from './vendor/ui.js';
import { api } from './api.js';
import { Dialog } from './dialog.js';
import { ErrorMessage } from './load.js';
import { Preview, useAction, usePreview } from './preview.js';
import { toast } from './toasts.js';

/**
 * `edit` is the number of the edit; with `sitting`, all that its client did then is undone. `about` says what that is.
 * @param {{ edit: number, sitting?: boolean, about: string, onClose: () => void }} props
 */
export function UndoDialog({ edit, sitting = false, about, onClose }) {
  const state = usePreview('undo', { edit, sitting });
  const { act, busy, error } = useAction(async () => {
    const done = await api.undo({ edit, sitting });
    toast([`Undone: ${about}.`, ...done.remarks].join(' '));
    onClose();
  });
  const title = sitting ? 'Undo all of this?' : 'Undo this edit?';
  return html`<${Dialog} title=${title} onClose=${onClose} busy=${busy} wide>
    <form onSubmit=${act}>
      <p>${about}</p>
      <p class="quiet">What was written since stays. You can redo the undo.</p>
      <${Preview} state=${state} summary=${() => 'Undoing:'} />
      <${ErrorMessage} error=${error} />
      <div class="actions">
        <button type="button" data-first onClick=${onClose} disabled=${busy}>Cancel</button>
        <button type="submit" class="primary" disabled=${busy || !state.plan}>Undo</button>
      </div>
    </form>
  <//>`;
}
