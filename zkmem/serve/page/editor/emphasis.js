// Marks around the selection: bold and italic.
import { EditorSelection } from '../vendor/editor.js';

/** @import { EditorView, Text } from '../vendor/editor.js' */

/**
 * Return a command of CodeMirror that puts a mark, such as `**`, around each selection, or takes it away. Without a
 * selection it takes the word at the cursor, or leaves the cursor between two marks.
 * @param {string} mark
 */
export const toggleMark = (mark) => (/** @type {EditorView} */ view) => {
  const { state } = view;
  if (state.readOnly) return false;
  const result = state.changeByRange((range) => {
    const { from, to } = trimmed(state.doc, range.empty ? (state.wordAt(range.head) ?? range) : range);
    const isOn = isMarked(state.doc, { from, to }, mark);
    const changes = isOn
      ? [
          { from: from - mark.length, to: from },
          { from: to, to: to + mark.length },
        ]
      : [
          { from, insert: mark },
          { from: to, insert: mark },
        ];
    const by = isOn ? -mark.length : mark.length;
    const moved = (/** @type {number} */ at) => Math.max(from, Math.min(at, to)) + by; // within the marks
    return { changes, range: EditorSelection.range(moved(range.anchor), moved(range.head)) };
  });
  view.dispatch(state.update(result, { userEvent: 'input', scrollIntoView: true }));
  return true;
};

/** Return a range without blanks at its ends: a mark beside a blank is not one. */
function trimmed(/** @type {Text} */ doc, /** @type {{ from: number, to: number }} */ { from, to }) {
  const text = doc.sliceString(from, to);
  const first = from + text.length - text.trimStart().length;
  return { from: first, to: Math.max(first, to - text.length + text.trimEnd().length) };
}

/**
 * Return whether a mark is on both sides of a range. Three stars are both marks, two are bold alone.
 * @param {Text} doc
 * @param {{ from: number, to: number }} range
 * @param {string} mark
 */
function isMarked(doc, { from, to }, mark) {
  const before = /\**$/.exec(doc.sliceString(Math.max(0, from - 3), from))?.[0].length ?? 0;
  const after = /^\**/.exec(doc.sliceString(to, to + 3))?.[0].length ?? 0;
  const stars = Math.min(before, after);
  return stars === 3 || stars === mark.length;
}
