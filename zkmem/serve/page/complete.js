// Completion of note names after `[[`.
import { api } from './api.js';

const OPEN = /\[\[([^[\]\n|#]*)$/; // what is typed of a target; not of its heading, not of its text
const MOST = 12; // what fits without scrolling; typing on narrows it

/** A completion source of CodeMirror; the server finds the names. */
export async function completeLink(context) {
  const found = context.matchBefore(OPEN);
  if (!found) return null;
  const from = found.from + 2;
  const asked = new AbortController();
  context.addEventListener('abort', () => asked.abort());
  const q = context.state.sliceDoc(from, context.pos);
  const answer = await api.get('names', { q, count: MOST }, { signal: asked.signal }).catch(() => null);
  if (!answer || context.aborted) return null; // a list that does not come is not worth a word while one types
  return { from, filter: false, options: answer.names.map((name) => ({ label: name, apply: insert })) };
}

/** Insert the name and close the link, unless it is closed already. */
function insert(view, { label }, from, to) {
  const closed = view.state.sliceDoc(to, to + 2) === ']]';
  view.dispatch({
    changes: { from, to, insert: closed ? label : `${label}]]` },
    selection: { anchor: from + label.length + 2 },
    userEvent: 'input.complete',
  });
}
