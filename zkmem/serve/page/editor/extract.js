// Moving a passage to a note of its own, after the changes are shown.
import { html, useState } from '../vendor/ui.js';
import { api } from '../server/api.js';
import { isolated } from '../common/bidi.js';
import { Dialog } from '../common/dialog.js';
import { ErrorMessage } from '../common/load.js';
import { NameField } from '../common/namefield.js';
import { Preview, useAction, usePreview } from '../common/preview.js';
import { toast } from '../common/toasts.js';

/** @import { Session } from './session.js' */
/** @import { Preview as Plan } from '../messages.d.ts' */

/**
 * `session` is the note that is edited, `passage` what is selected in it.
 * @param {{ session: Session, passage: string, onClose: () => void }} props
 */
export function Extract({ session, passage, onClose }) {
  const [newName, setNewName] = useState('');
  const unsaved = session.dirty.value || !session.base.etag;
  const body = { name: session.name, content: passage, new_name: newName.trim() };
  const ready = passage.trim() && body.new_name && !unsaved;
  const state = usePreview('extract', ready ? body : null);
  const { act, busy, error } = useAction(async () => {
    const { note } = await api.extract(body);
    await session.refresh();
    toast([`${note.outcome === 'appended' ? 'Added to' : 'Moved to'} ${note.name}.`, ...note.remarks].join(' '));
    onClose();
  });
  const appends = state.plan?.outcome === 'appended';
  return html`<${Dialog} title=${`Extract from ${isolated(session.name)}`} onClose=${onClose} busy=${busy} wide>
    <form onSubmit=${act}>
      ${
        passage.trim()
          ? html`<blockquote class="passage" tabindex="0" role="group" aria-label="The passage">${passage}</blockquote>`
          : html`<p>Select the passage to move in the text first.</p>`
      }
      ${
        unsaved &&
        html`<p class="notice warn">The note has changes that are not
          saved. <button type="button" onClick=${() => session.save()}>Save them</button></p>`
      }
      <${ErrorMessage} error=${unsaved ? session.saveError.value : null} />
      ${
        passage.trim() &&
        html`<${NameField} label="Name of the note that gets it" value=${newName} onInput=${setNewName}
          hint="A link to it takes the place of the passage. Without a folder, a new note is in the folder of this note;
            put a / in front for the root of the vault." />`
      }
      <${Preview} state=${state}
        summary=${(/** @type {Plan} */ { name }) =>
          appends ? `The passage is added at the end of ${isolated(name)}.` : `A new note, ${isolated(name)}.`} />
      <${ErrorMessage} error=${error} />
      <div class="actions">
        <button type="button" onClick=${onClose} disabled=${busy}>Cancel</button>
        <button type="submit" class="primary" disabled=${busy || !state.plan}>Extract</button>
      </div>
    </form>
  <//>`;
}
