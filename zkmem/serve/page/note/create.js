// A new note, opened in the editor.
import { open } from '../navigation.js';
import { noteToEdit } from '../state.js';

/** Open a note in the editor if it does not exist; else show it. */
export function create(/** @type {string} */ name) {
  noteToEdit.value = name;
  open(name);
}
