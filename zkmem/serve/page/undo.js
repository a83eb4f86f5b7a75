// Which edit an undo would take back, and which a redo would make again: the rule of the server, on its log.

const BACK = /^(undo|redo) of (\d+(?:, \d+)*): /; // how the log calls them; every other edit begins with its tool

/** `{ undo, redo }` of a list of edits, last first: an edit each, or undefined if there is none. */
export function standing(edits) {
  const done = [];
  const undone = [];
  for (const edit of [...edits].reverse()) {
    const [, way, numbers] = BACK.exec(edit.title) ?? [];
    const count = numbers?.split(', ').length;
    if (way === 'undo') {
      done.splice(-count, count);
      undone.push(edit);
    } else if (way === 'redo') {
      undone.splice(-count, count);
      done.push(edit); // a redo stands as an edit of its own
    } else {
      done.push(edit);
      undone.length = 0;
    }
  }
  return { undo: done.at(-1), redo: undone.at(-1) };
}
