// The question for the name of a new note. Its editor opens at once; the note is created when it is saved.
import { html, useLayoutEffect, useState } from '../vendor/ui.js';
import { lastEdit } from '../history/past.js';
import { parted } from '../common/names.js';
import { Dialog } from '../common/dialog.js';
import { NameField } from '../common/namefield.js';
import { canWrite, creating, noteToEdit, route, vault } from '../state.js';
import { open } from '../navigation.js';

export function NewNote() {
  const beginning = creating.value;
  return beginning === null ? null : html`<${Ask} key=${beginning} beginning=${beginning || folderHere()} />`;
}

/** The folder of the note that is shown, with a slash; without a note, the folder that the person may write in. */
function folderHere() {
  const { name } = route.peek();
  const folder = parted(name ?? '').folders;
  return folder && canWrite(`${folder}x`) ? folder : vault.peek()?.folder ? `${vault.peek()?.folder}/` : '';
}

/** @param {{ beginning: string }} props */
function Ask({ beginning }) {
  const [typed, setTyped] = useState(beginning);
  const name = typed.trim().replace(/\.md$/i, '');
  const close = () => (creating.value = null);
  useLayoutEffect(() => {
    const field = document.activeElement; // the dialog is open by now
    if (field instanceof HTMLInputElement && !beginning.endsWith('/')) field.select(); // typing replaces the proposal
  }, []);
  const mayWrite = canWrite(name);
  const ready = Boolean(name) && !name.endsWith('/') && mayWrite;
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    if (!ready) return;
    close();
    createOrRestore(name);
  };
  return html`<${Dialog} title="New note" onClose=${close}>
    <form onSubmit=${submit}>
      <${NameField} label="Name, with its folders" value=${typed} onInput=${setTyped}
        hint="If a note has this name, it is opened." />
      ${
        name &&
        !mayWrite &&
        html`<p class="notice warn" role="status">Your token reaches only the folder
          ${' '}<strong>${vault.value?.folder}</strong>: begin the name with ${vault.value?.folder}/.</p>`
      }
      <div class="actions">
        <button type="button" onClick=${close}>Cancel</button>
        <button type="submit" class="primary" disabled=${!ready}>Write it</button>
      </div>
    </form>
  <//>`;
}

/** Open a note in the editor if there never was one; else show it or, if it is gone, the offer to restore it. */
export async function createOrRestore(/** @type {string} */ name) {
  const edit = await lastEdit(name).catch(() => null); // a new note does not depend on it
  if (edit) open(name);
  else create(name);
}

/** Open a note in the editor if it does not exist; else show it. */
export function create(/** @type {string} */ name) {
  noteToEdit.value = name;
  open(name);
}
