// The last known edit of a note: who made it, and the new name that it gave the note.
import { api } from './api.js';
import { vault } from './state.js';

/**
 * @import { Edits } from './messages.d.ts'
 * @typedef {Edits['edits'][number]} Edit
 */

const SOMEBODY = 'somebody else';

/** @returns {Promise<Edit | null>} */
export const lastEdit = (/** @type {string} */ name) => api.log(name, 1).then(({ edits }) => edits[0] ?? null);

/** Return who wrote this text of a note, in words. If it is not the text of the last edit, nobody knows. */
export async function authorOf(/** @type {string} */ name, /** @type {string} */ text) {
  try {
    const edit = await lastEdit(name);
    const then = edit && (await api.revision(name, edit.rev));
    if (!edit || then?.text !== text) return SOMEBODY;
    return isOwn(edit.client) ? 'you in another window' : clientOf(edit);
  } catch {
    return SOMEBODY; // the name of the author is not worth an error
  }
}

/** Return who made an edit, in words. */
export const clientOf = (/** @type {Edit} */ { client }) => (isOwn(client) ? 'you' : client || SOMEBODY);

/** Return whether the person is the client of an edit: the page makes edits under this name. */
export const isOwn = (/** @type {string} */ client) =>
  client === [vault.value?.token, 'page'].filter(Boolean).join(': ');

/** Return the name that an edit gave a note, or undefined if it did not rename the note. */
export const newName = (/** @type {string} */ name, /** @type {Edit} */ { moves }) =>
  moves.find((move) => move.from === name)?.to;
