// Which edit an undo would take back, and which a redo would make again: the rule of the server, on its log.

/** `{ undo, redo }`: edits of the list (last first), or undefined. An edit without a number is a commit of git. */
export function standing(edits) {
  const done = [];
  const undone = [];
  for (const edit of [...edits].reverse()) {
    const { tool, undoes = [] } = edit;
    const gone = new Set(undoes.map(String));
    const rest = (list) => list.splice(0, list.length, ...list.filter(({ rev }) => !gone.has(String(rev))));
    if (tool === 'undo') {
      rest(done);
      undone.push(edit);
    } else if (tool === 'redo') {
      rest(undone);
      done.push(edit);
    } else {
      done.push(edit);
      undone.length = 0;
    }
  }
  return { undo: done.at(-1), redo: undone.at(-1) };
}
