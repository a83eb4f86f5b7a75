// Which edit an undo would take back, and which one a redo would make again: the rule of the server, on its log.

/** @import { Edit } from './past.js' */

/** Return the edits that `undo` and `redo` would change, or undefined, from a list of edits, the last one first. */
export function nextUndoAndRedo(/** @type {Edit[]} */ edits) {
  /** @type {Edit[]} */
  let done = [];
  /** @type {Edit[]} */
  let undone = [];
  const without = (/** @type {Edit[]} */ list, /** @type {Edit} */ { undoes }) =>
    list.filter(({ rev }) => !undoes.includes(rev));
  for (const edit of [...edits].reverse()) {
    if (edit.tool === 'undo') {
      done = without(done, edit);
      undone.push(edit);
    } else if (edit.tool === 'redo') {
      undone = without(undone, edit);
      done.push(edit); // a redo is an edit of its own
    } else {
      done.push(edit);
      undone = [];
    }
  }
  return { undo: done.at(-1), redo: undone.at(-1) };
}
