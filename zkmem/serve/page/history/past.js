// The last known edit of a note: who made it, the new name that it gave the note, and the text that it left or removed.
import { api } from '../server/api.js';
import { toast } from '../common/toasts.js';
import { ApiError } from '../server/error.js';
import { vault } from '../state.js';

/**
 * @import { Edits } from '../messages.d.ts'
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

/** Return whether the person is the client of an edit: see `own_clients` in `caller.py`. */
export const isOwn = (/** @type {string} */ client) =>
  ['page', 'review in a chat'].some(
    (one) => client === [vault.value?.person ?? vault.value?.token, one].filter(Boolean).join(': '),
  );

/** Return the name that an edit gave a note, or undefined if it did not rename the note. */
export const newName = (/** @type {string} */ name, /** @type {Edit} */ { moves }) =>
  moves.find((move) => move.from === name)?.to;

/**
 * Return the revision with the last known text of a note: that of its last edit or, if this one deleted the note, the
 * one before; null if neither has a text.
 * @returns {Promise<string | null>}
 */
export async function lastTextOf(/** @type {string} */ name, /** @type {Edit} */ { rev }) {
  for (const one of [rev, before(rev)]) {
    try {
      return (await api.revision(name, one)) && one;
    } catch (error) {
      if (!(error instanceof ApiError && error.kind === 'NoVersion')) throw error;
    }
  }
  return null;
}

/** Return the revision before this one: edits are numbered, commits have a parent. */
export const before = (/** @type {string} */ rev) => (isNumber(rev) ? String(Number(rev) - 1) : `${rev}~1`);

/** Return whether a revision is the number of an edit, and not a commit. */
export const isNumber = (/** @type {string} */ rev) => /^\d{1,6}$/.test(rev);

/** Return the last edit of a missing note, its name now, and the revision to restore; null for what is not known. */
export async function pastOf(/** @type {string} */ name) {
  const edit = await lastEdit(name).catch(() => null); // the offer to create the note does not depend on it
  const now = (edit && newName(name, edit)) ?? null;
  const rev = edit && !now ? await lastTextOf(name, edit).catch(() => null) : null;
  return { edit, now, rev };
}

/** Give a missing note the text of a revision, and say so. */
export async function restored(/** @type {string} */ name, /** @type {string} */ rev) {
  const done = await api.restore({ name, rev });
  toast([`${done.name} is restored.`, ...done.remarks].join(' '));
  return done;
}
