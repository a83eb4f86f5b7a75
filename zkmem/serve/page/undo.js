// Which edit an undo would take back, and which a redo would make again: the rule of the server, on its log.

/** `{ undo, redo }` of a list of edits, last first: an edit each, or undefined if there is none. */
export function standing(edits) {
  let done = [];
  let undone = [];
  const without = (list, { undoes }) => list.filter(({ rev }) => !undoes.includes(rev));
  for (const edit of [...edits].reverse()) {
    if (edit.tool === 'undo') {
      done = without(done, edit);
      undone.push(edit);
    } else if (edit.tool === 'redo') {
      undone = without(undone, edit);
      done.push(edit); // a redo stands as an edit of its own
    } else {
      done.push(edit);
      undone = [];
    }
  }
  return { undo: done.at(-1), redo: undone.at(-1) };
}
