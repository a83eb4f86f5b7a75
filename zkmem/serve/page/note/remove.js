// Deleting a note, after the links that would lead nowhere are shown.
import { html } from '../vendor/ui.js';
import { api } from '../server/api.js';
import { More } from './around.js';
import { isolated } from '../common/bidi.js';
import { Dialog } from '../common/dialog.js';
import { ErrorMessage, numberOf } from '../common/load.js';
import { useAction } from '../common/preview.js';
import { toast } from '../common/toasts.js';

/** @import { Note } from '../messages.d.ts' */

/** @param {{ note: Note, onClose: () => void }} props */
export function Remove({ note: { name, etag, backlinks, backlink_count: count }, onClose }) {
  const { act, busy, error } = useAction(async () => {
    const done = await api.remove(name, etag);
    const repointed = Object.entries(done.repointed).map(([from, to]) => `A link in ${from} leads to ${to} now.`);
    toast([`${done.name} is in ${done.trash} now.`, ...repointed, ...done.remarks].join(' '));
    onClose();
  });
  return html`<${Dialog} title=${`Delete ${isolated(name)}?`} onClose=${onClose} busy=${busy}>
    <form onSubmit=${act}>
      <p>The note goes to the trash of the vault; History can restore it.</p>
      ${
        count
          ? html`<p class="notice warn">${numberOf(count, 'note links', 'notes link')} to it. The links would lead
            nowhere:</p>
            <ul class="names">${backlinks.map((one) => html`<li key=${one}>${one}</li>`)}</ul>
            <${More} count=${count - backlinks.length} />`
          : html`<p class="quiet">No other note links to it.</p>`
      }
      <${ErrorMessage} error=${error} />
      <div class="actions">
        <button type="button" data-first onClick=${onClose} disabled=${busy}>Cancel</button>
        <button type="submit" class="danger" disabled=${busy}>Delete</button>
      </div>
    </form>
  <//>`;
}
