// Completion of note names after `[[`.
import { api } from '../server/api.js';

/** @import { Completion, CompletionContext, EditorView } from '../vendor/editor.js' */

const OPEN = /\[\[([^[\]\n|#]*)$/; // what is typed of a target, but not of its heading or its text
const MOST = 12; // what fits without scrolling; more letters find fewer names

/** A completion source of CodeMirror; the server finds the names. */
export async function completeLink(/** @type {CompletionContext} */ context) {
  const match = context.matchBefore(OPEN);
  if (!match) return null;
  const from = match.from + 2;
  const stop = new AbortController();
  context.addEventListener('abort', () => stop.abort());
  const typed = context.state.sliceDoc(from, context.pos);
  const response = await api.names(typed, MOST, stop.signal).catch(() => null);
  if (!response || context.aborted) return null; // a missing list is not worth a message while one types
  return { from, filter: false, options: response.names.map((name) => ({ label: name, apply: insert })) };
}

/**
 * Insert the name and close the link, unless it is closed already.
 * @param {EditorView} view
 * @param {Completion} completion
 * @param {number} from
 * @param {number} to
 */
function insert(view, { label }, from, to) {
  const closed = view.state.sliceDoc(to, to + 2) === ']]';
  view.dispatch({
    changes: { from, to, insert: closed ? label : `${label}]]` },
    selection: { anchor: from + label.length + 2 },
    userEvent: 'input.complete',
  });
}
