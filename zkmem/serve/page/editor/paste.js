// What is pasted or dropped into the editor: a picture becomes an attachment, HTML becomes Markdown.
import { EditorView, syntaxTree } from '../vendor/editor.js';
import { api } from '../server/api.js';
import { showError, toast } from '../common/toasts.js';

/** @import { Extension } from '../vendor/editor.js' */

const PICTURES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif'];
const LARGEST = 16_000_000; // bytes of a picture that the server stores
const LONGEST = 2_000_000; // characters of HTML; longer ones are pasted as text
const FORMATTED = 'a[href], b, strong, i, em, h1, h2, h3, h4, h5, h6, ul, ol, table, blockquote, pre, code, img, hr';
const RAW = /^(?:FencedCode|CodeBlock|CodeText|InlineCode|Properties|HTMLBlock|Comment)/;

/**
 * Return the extension that takes pictures and HTML. `note` returns the name of the note that is edited.
 * @param {() => string} note
 * @returns {Extension}
 */
export const pasting = (note) =>
  EditorView.domEventHandlers({
    paste: (event, view) => take(event, event.clipboardData, view, view.state.selection.main.head, note()),
    drop: (event, view) => {
      const at = view.posAtCoords({ x: event.clientX, y: event.clientY }) ?? view.state.selection.main.head;
      return pictures(event.dataTransfer).length > 0 && take(event, event.dataTransfer, view, at, note());
    },
  });

/**
 * Take over what is pasted or dropped. Return whether there is something to take over.
 * @param {Event} event
 * @param {DataTransfer | null} data
 * @param {EditorView} view
 * @param {number} at
 * @param {string} note
 */
function take(event, data, view, at, note) {
  if (!data || view.state.readOnly) return false;
  const html = data.getData('text/html');
  const body = html && html.length <= LONGEST ? parsed(html) : null;
  const isText = Boolean(body?.textContent?.trim()); // a table of a spreadsheet comes as a picture, too
  const files = isText ? [] : pictures(data);
  if (files.length) store(files, view, at, note).catch(showError);
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

const pictures = (/** @type {DataTransfer | null} */ data) =>
  [...(data?.files ?? [])].filter(({ type }) => type.startsWith('image/'));

/**
 * Store pictures as attachments, and embed each where it was put, whatever is typed meanwhile.
 * @param {File[]} files
 * @param {EditorView} view
 * @param {number} at
 * @param {string} note
 */
async function store(files, view, at, note) {
  const place = follow(view, at);
  try {
    for (const file of files) {
      if (!PICTURES.includes(file.type)) {
        toast(`“${file.name}” is not stored: only PNG, JPEG, GIF, WebP and AVIF are.`, 'error');
        continue;
      }
      if (file.size > LARGEST) {
        toast(`“${file.name}” is not stored: it has more than 16 MB. Make it smaller.`, 'error');
        continue;
      }
      const title = /^image\.\w+$/.test(file.name) ? '' : file.name; // the browser's name for a picture without one
      const { embed, remarks } = await api.attach({ note, title, data: await base64(file) });
      for (const remark of remarks) toast(remark);
      if (!view.dom.isConnected) toast(`The picture is stored; embed it with ${embed}.`);
      else insert(view, place.now, embed);
    }
  } finally {
    place.stop();
  }
}

/** The places in texts that wait for a picture. */
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
    reader.onerror = () => reject(reader.error);
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
