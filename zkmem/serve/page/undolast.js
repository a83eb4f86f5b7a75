// The question whether to undo the last edit of the vault: it shows what would change.
import { html } from './vendor/ui.js';
import { api } from './api.js';
import { Dialog } from './dialog.js';
import { ErrorMessage } from './load.js';
import { Preview, useAction, usePreview } from './preview.js';
import { undoing } from './state.js';
import { toast } from './toasts.js';

export const UndoLast = () => undoing.value && html`<${Ask} />`;

function Ask() {
  const state = usePreview('undo', { count: 1 });
  const close = () => (undoing.value = false);
  const { act, busy, error } = useAction(async () => {
    const done = await api.undo({ count: 1 });
    toast([`Undone: ${done.edits.join(', ')}.`, ...done.remarks].join(' '));
    close();
  });
  return html`<${Dialog} title="Undo the last edit?" onClose=${close} busy=${busy} wide>
    <form onSubmit=${act}>
      <p class="quiet">What was written since stays. You can redo the undo in the history.</p>
      <${Preview} state=${state} summary=${() => 'Undoing:'} />
      <${ErrorMessage} error=${error} />
      <div class="actions">
        <button type="button" data-first onClick=${close} disabled=${busy}>Cancel</button>
        <button type="submit" class="primary" disabled=${busy || !state.plan}>Undo</button>
      </div>
    </form>
  <//>`;
}
