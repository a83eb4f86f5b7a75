// What is pasted or dropped into the editor: a file becomes an attachment, HTML becomes Markdown.
import { EditorView, syntaxTree } from '../vendor/editor.js';
import { api } from '../server/api.js';
import { showError, toast } from '../common/toasts.js';

/**
 * @import { Extension } from '../vendor/editor.js'
 * @import { Session } from './session.js'
 */

const LARGEST = 16_000_000; // bytes of a file that the server stores
const LONGEST = 2_000_000; // characters of HTML; longer ones are pasted as text
const FORMATTED = 'a[href], b, strong, i, em, h1, h2, h3, h4, h5, h6, ul, ol, table, blockquote, pre, code, img, hr';
const RAW = /^(?:FencedCode|CodeBlock|CodeText|InlineCode|Properties|HTMLBlock|Comment)/;

/**
 * Return the extension that takes files and HTML for the note that is edited.
 * @param {Session} session
 * @returns {Extension}
 */
export const pasting = (session) =>
  EditorView.domEventHandlers({
    paste: (event, view) => take(event, event.clipboardData, view, view.state.selection.main.head, session),
    drop: (event, view) => {
      const at = view.posAtCoords({ x: event.clientX, y: event.clientY }) ?? view.state.selection.main.head;
      return filesIn(event.dataTransfer).length > 0 && take(event, event.dataTransfer, view, at, session);
    },
  });

/**
 * Take over what is pasted or dropped. Return whether there is something to take over.
 * @param {Event} event
 * @param {DataTransfer | null} data
 * @param {EditorView} view
 * @param {number} at
 * @param {Session} session
 */
function take(event, data, view, at, session) {
  if (!data || view.state.readOnly) return false;
  const html = data.getData('text/html');
  const body = html && html.length <= LONGEST ? parsed(html) : null;
  const isText = Boolean(body?.textContent?.trim()); // a table of a spreadsheet comes as a picture, too
  const files = isText ? [] : filesIn(data);
  if (files.length) store(files, view, at, session);
  else if (body && isText && body.querySelector(FORMATTED) && !isRaw(view)) convert(body, data.getData('text'), view);
  else return false;
  event.preventDefault();
  return true;
}

/**
 * Return the body of some HTML; it runs and loads nothing. The page's policy allows no styles there, so they become
 * `data-style`.
 */
function parsed(/** @type {string} */ html) {
  const plain = withoutStyles(html);
  const unstyled = plain.replace(/<[a-z][^<>]*>/gi, (tag) => tag.replace(/\sstyle\s*=/gi, ' data-style='));
  return new DOMParser().parseFromString(unstyled, 'text/html').body;
}

/** Return HTML without its style sheets. This reads it once, however it is made. */
function withoutStyles(/** @type {string} */ html) {
  const begin = /<style\b/gi;
  const end = /<\/style\s*>/gi;
  let plain = '';
  for (let from = 0; ;) {
    begin.lastIndex = from;
    const found = begin.exec(html);
    if (!found) return plain + html.slice(from);
    plain += html.slice(from, found.index);
    end.lastIndex = found.index;
    if (!end.exec(html)) return plain;
    from = end.lastIndex;
  }
}

/** Return whether the cursor is where Markdown has no meaning. */
function isRaw(/** @type {EditorView} */ { state }) {
  for (let node = syntaxTree(state).resolveInner(state.selection.main.from, -1); ;) {
    if (RAW.test(node.name)) return true;
    if (!node.parent) return false;
    node = node.parent;
  }
}

const filesIn = (/** @type {DataTransfer | null} */ data) => [...(data?.files ?? [])];

/** Store files, and link them at the end of the text, in lines of their own. */
export function storeAtEnd(
  /** @type {File[]} */ files,
  /** @type {EditorView} */ view,
  /** @type {Session} */ session,
) {
  const { doc } = view.state;
  const before = doc.length === 0 ? '' : doc.line(doc.lines).length ? '\n\n' : '\n';
  view.dispatch({ selection: { anchor: doc.length }, scrollIntoView: true });
  return store(files, view, doc.length, session, before);
}

/**
 * Store files as attachments, and link each where it was put, whatever is typed meanwhile. `before` is inserted before
 * the first link.
 * @param {File[]} files
 * @param {EditorView} view
 * @param {number} at
 * @param {Session} session
 */
export async function store(files, view, at, session, before = '') {
  const place = follow(view, at);
  let between = before;
  for (const [number, file] of files.entries()) {
    const which = files.length > 1 ? `${number + 1} of ${files.length}` : '';
    const link = await stored(file, which, session).catch((error) =>
      toast(`“${file.name}” is not stored. ${error.message}`, 'error'),
    );
    if (!link) continue;
    if (!view.dom.isConnected) {
      toast(`“${file.name}” is not kept, since you left the note before it was stored.`, 'error');
      session.takeBack().catch(showError);
      break;
    }
    insert(view, place.now, between + link);
    between = '\n';
  }
  place.stop();
}

/**
 * Store a file; return the text that shows it in the note, or links to it.
 * @param {File} file
 * @param {string} which
 * @param {Session} session
 */
async function stored(file, which, session) {
  if (file.size > LARGEST)
    throw new Error('It has more than 16 MB: make it smaller, or put it into the vault by hand.');
  const data = await base64(file);
  const title = /^image\.\w+$/.test(file.name) ? '' : file.name; // the browser's name for a picture without one
  const report = (/** @type {number} */ share) => (session.storing.value = { name: file.name, which, share });
  report(0);
  try {
    const { path, embed, remarks } = await api.attach({ note: session.name, title, data }, report);
    session.attached.push(path);
    for (const remark of remarks) toast(remark);
    return embed;
  } finally {
    session.storing.value = null;
  }
}

/** The places in texts that wait for a file. */
const waiting = new Set(/** @type {{ view: EditorView, now: number }[]} */ ([]));

/** Follow a place in the text while others change it. */
function follow(/** @type {EditorView} */ view, /** @type {number} */ now) {
  const place = { view, now, stop: () => waiting.delete(place) };
  waiting.add(place);
  return place;
}

/** Moves the places that are followed with each change of the text. */
export const followed = EditorView.updateListener.of(({ view, changes }) => {
  for (const place of waiting) if (place.view === view) place.now = changes.mapPos(place.now, 1);
});

/** @returns {Promise<string>} */
async function base64(/** @type {Blob} */ file) {
  const reader = new FileReader();
  await new Promise((resolve, reject) => {
    reader.onload = resolve;
    reader.onerror = () => reject(new Error('It cannot be read; if it is a folder, drop the files in it.'));
    reader.readAsDataURL(file);
  });
  return String(reader.result).replace(/^[^,]*,/, '');
}

/**
 * Replace the selection by the Markdown for some HTML or, if that fails, by its text.
 * @param {HTMLElement} body
 * @param {string} text
 * @param {EditorView} view
 */
async function convert(body, text, view) {
  const markdown = await import('./markdown.js').then(({ fromHtml }) => fromHtml(body)).catch(() => text);
  view.dispatch(view.state.replaceSelection(markdown || text), { userEvent: 'input.paste', scrollIntoView: true });
}

function insert(/** @type {EditorView} */ view, /** @type {number} */ at, /** @type {string} */ text) {
  const isAtCursor = view.state.selection.main.empty && view.state.selection.main.head === at;
  const selection = isAtCursor ? { anchor: at + text.length } : undefined;
  view.dispatch({ changes: { from: at, insert: text }, selection, userEvent: 'input.paste' });
}
