// Drafts: what was typed and is not saved yet. They are kept in this tab, so that a reload or a crash loses nothing.
import { FOLDER } from '../place.js';

/**
 * The text and the etag of a note; the etag is null if there is no such note.
 * @typedef {{ text: string, etag: string | null }} Version
 * @typedef {{ theirs: Version, text: string, conflicts: object[] }} Conflict
 * @typedef {{ text: string, base: Version, merge?: Conflict, attached?: string[] }} Draft `attached`: see `Session`
 */

const PREFIX = `zkmem-draft:${FOLDER}:`;

/**
 * Return the draft of a note, or null.
 * @param {string} name
 * @returns {Draft | null}
 */
export function draftOf(name) {
  try {
    const draft = JSON.parse(sessionStorage.getItem(PREFIX + name) ?? 'null');
    return typeof draft?.text === 'string' && typeof draft.base?.text === 'string' ? draft : null;
  } catch {
    return null; // another program wrote it, or the storage is switched off
  }
}

/** Keep a draft. Return whether there was room: a browser gives a tab some megabytes. */
export function keepDraft(/** @type {string} */ name, /** @type {Draft} */ draft) {
  try {
    sessionStorage.setItem(PREFIX + name, JSON.stringify(draft));
    return true;
  } catch {
    return false;
  }
}

export function dropDraft(/** @type {string} */ name) {
  try {
    sessionStorage.removeItem(PREFIX + name);
  } catch {
    // the storage is switched off: there is no draft
  }
}
