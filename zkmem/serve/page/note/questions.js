// The dialogs to rename, merge or delete a note. They show what would change.
import { html, useState } from '../vendor/ui.js';
import { api } from '../server/api.js';
import { isolated } from '../common/bidi.js';
import { Dialog } from '../common/dialog.js';
import { ErrorMessage, numberOf } from '../common/load.js';
import { NameField } from '../common/namefield.js';
import { Preview, useAction, usePreview } from '../common/preview.js';
import { open } from '../navigation.js';
import { toast } from '../common/toasts.js';
import { More } from './side.js';

/** @import { Note, Preview as Plan } from '../messages.d.ts' */

/** @param {{ name: string, onClose: () => void }} props */
export function Rename({ name, onClose }) {
  const [typed, setTyped] = useState(name);
  const newName = typed.trim();
  const state = usePreview('rename', newName && newName !== name ? { name, new_name: newName } : null);
  const merges = state.plan?.outcome === 'merged';
  const { act, busy, error } = useAction(async () => {
    const done = await api.rename({ name, new_name: newName });
    const links = done.relinked.length ? ` Links were updated in ${numberOf(done.relinked.length, 'note')}.` : '';
    toast(
      [`${done.outcome === 'merged' ? 'Merged into' : 'Now called'} ${done.name}.${links}`, ...done.remarks].join(' '),
    );
    onClose();
    open(done.name);
  });
  const summary = (/** @type {Plan} */ plan) =>
    merges ? `Merging into ${isolated(plan.name)}:` : `Renaming to ${isolated(plan.name)}:`;
  return html`<${Dialog} title=${`Rename ${isolated(name)}`} onClose=${onClose} busy=${busy} wide>
    <form onSubmit=${act}>
      <${NameField} label="New name" value=${typed} onInput=${setTyped}
        hint="Without a folder, it stays in the folder of the note. Put a / in front for the root of the vault, or
          give a folder with a / at its end to move the note there." />
      ${
        merges &&
        html`<p class="notice warn" role="status">There is a note ${state.plan?.name}. The two become one note: the
          text of ${name} is added at its end.</p>`
      }
      <${Preview} state=${state} summary=${summary} />
      <${ErrorMessage} error=${error} />
      <div class="actions">
        <button type="button" onClick=${onClose} disabled=${busy}>Cancel</button>
        <button type="submit" class="primary" disabled=${busy || !state.plan}>${merges ? 'Merge' : 'Rename'}</button>
      </div>
    </form>
  <//>`;
}

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
