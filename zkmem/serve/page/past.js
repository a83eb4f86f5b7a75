// The last known edit of a note: who made it, and the new name that it gave the note.
import { api } from './api.js';

export const last = (name) => api.get('log', { name, count: 1 }).then(({ edits }) => edits[0] ?? null);

/** Who wrote this text of a note, in words: somebody else, where no edit in the history has left it. */
export async function writer(name, text) {
  try {
    const edit = await last(name);
    const then = edit && (await api.get('revision', { name, rev: edit.rev }));
    return then?.text === text ? client(edit) : 'somebody else';
  } catch {
    return 'somebody else'; // who it was is not worth a failure
  }
}

export const client = (edit) => (edit.client === 'api' ? 'another page' : edit.client || 'somebody else');

/** What a note is called since this edit, or undefined if it was not renamed by it. */
export const newName = (name, { moves }) => moves.find((move) => move.from === name)?.to;
