// A new note, opened in the editor.
import { open } from './navigation.js';
import { toCreate } from './state.js';

/** Open a note in the editor if it does not exist; else show it. */
export function create(/** @type {string} */ name) {
  toCreate.value = name;
  open(name);
}
