// Three-way merge by lines, for the proposal that a conflict begins with. (What is written is decided by the server.)
import { EditorState, getChunks, unifiedMergeView } from './vendor/editor.js';

/**
 * The base with the changes of both sides, and in how many places both changed the same lines in different ways;
 * there the proposal has what was typed here.
 */
export function proposal(base, mine, theirs) {
  const sides = [mine, theirs].map((text) => hunks(base, text));
  const lines = base.split('\n');
  const result = [];
  let done = 0;
  let conflicts = 0;
  for (const { from, to, members } of groups(...sides)) {
    result.push(...lines.slice(done, from));
    const [ours, others] = [0, 1].map((side) => patched(lines, from, to, members[side]));
    const apart = members[0].length && members[1].length && ours.join('\n') !== others.join('\n');
    if (apart) conflicts += 1;
    result.push(...(members[0].length ? ours : others));
    done = to;
  }
  return { text: [...result, ...lines.slice(done)].join('\n'), conflicts };
}

/** The lines `from` to `to` of the base after the hunks of one side. */
function patched(lines, from, to, own) {
  const result = [];
  for (const hunk of own) {
    result.push(...lines.slice(from, hunk.from), ...hunk.lines);
    from = hunk.to;
  }
  return [...result, ...lines.slice(from, to)];
}

/** Hunks of both sides that touch, together: `{ from, to, members: [hunks of mine, hunks of theirs] }`. */
function groups(mine, theirs) {
  const all = [...mine.map((hunk) => ({ ...hunk, side: 0 })), ...theirs.map((hunk) => ({ ...hunk, side: 1 }))];
  const found = [];
  for (const hunk of all.sort((a, b) => a.from - b.from || a.to - b.to)) {
    let last = found.at(-1);
    if (!last || hunk.from > last.to) found.push((last = { from: hunk.from, to: hunk.to, members: [[], []] }));
    last.to = Math.max(last.to, hunk.to);
    last.members[hunk.side].push(hunk);
  }
  return found;
}

/** What one side did, in lines: `from` to `to` of the base became `lines`. */
function hunks(base, text) {
  const state = EditorState.create({
    doc: text,
    extensions: [EditorState.lineSeparator.of('\n'), unifiedMergeView({ original: EditorState.create({ doc: base, extensions: EditorState.lineSeparator.of('\n') }).doc })],
  });
  const before = lineStarts(base);
  const after = lineStarts(text);
  const now = text.split('\n');
  return getChunks(state).chunks.map(({ fromA, toA, fromB, toB }) => ({
    from: lineAt(before, fromA),
    to: lineAt(before, toA),
    lines: now.slice(lineAt(after, fromB), lineAt(after, toB)),
  }));
}

function lineStarts(text) {
  const starts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return [...starts, text.length + 1];
}

/** The number of the line that starts at a position, or of the one after the last. */
function lineAt(starts, position) {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (starts[middle] < position) low = middle + 1;
    else high = middle;
  }
  return low;
}
