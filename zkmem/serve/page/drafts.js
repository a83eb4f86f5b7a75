// What was typed and is not saved yet: kept in this tab, so that a reload or a crash of the page loses nothing.

const PREFIX = 'zkmem-draft:';

/** `{ text, base: { text, etag } }` of a note, or null. */
export function draftOf(name) {
  try {
    const draft = JSON.parse(sessionStorage.getItem(PREFIX + name));
    return typeof draft?.text === 'string' && typeof draft.base?.text === 'string' ? draft : null;
  } catch {
    return null; // not ours, or storage is switched off
  }
}

/** Whether it could be kept: a browser gives a tab some megabytes. */
export function keepDraft(name, draft) {
  try {
    sessionStorage.setItem(PREFIX + name, JSON.stringify(draft));
    return true;
  } catch {
    return false;
  }
}

export function dropDraft(name) {
  try {
    sessionStorage.removeItem(PREFIX + name);
  } catch {
    // storage is switched off: there is none
  }
}
