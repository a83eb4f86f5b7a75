// A conflict: the text of the file beside a merged text, which can be edited and saved.
import { html, useEffect, useRef, useState } from '../vendor/ui.js';
import {
  EditorState,
  EditorView,
  MergeView,
  getChunks,
  goToNextChunk,
  goToPreviousChunk,
  unifiedMergeView,
} from '../vendor/editor.js';
import { api } from '../server/api.js';
import { basics, writing } from './codemirror.js';
import { ErrorMessage, numberOf } from '../common/load.js';
import { useAction } from '../common/preview.js';
import { useElement } from '../common/refs.js';

/**
 * @import { Session } from './session.js'
 * @typedef {{ parent: Element, theirs: string, text: string, changed: (state: EditorState) => void, save: () => void }}
 *   Options
 * @typedef {{ view: EditorView, read: () => string, write: (whole: string) => void, destroy: () => void }} Merge
 */

const NARROW = 640; // pixels: below it there is no room for two columns
const COLLAPSED = { margin: 3, minSize: 8 };

/** @param {{ session: Session }} props */
export function Conflict({ session }) {
  const mount = useElement(HTMLDivElement);
  const merge = useRef(/** @type {Merge | null} */ (null));
  const [left, setLeft] = useState(0);
  const [beside, setBeside] = useState(false);
  const { theirs, text, conflicts } = /** @type {NonNullable<Session['conflict']['value']>} */ (session.conflict.value);
  const use = () => merge.current && session.resolve(merge.current.read());
  const fill = (/** @type {string} */ whole) => merge.current?.write(whole);
  const mine = session.read();
  const keep = useAction(async () => {
    const both = { base: session.base.text, mine, theirs: theirs.text, keep_both: true };
    fill((await api.merge(both)).text);
  });
  useEffect(() => {
    const changed = (/** @type {EditorState} */ state) => {
      setLeft(getChunks(state)?.chunks.length ?? 0);
      session.merging(state.doc.toString());
    };
    const narrow = mount.current.clientWidth < NARROW;
    setBeside(!narrow);
    const shown = (narrow ? unified : sideBySide)({
      parent: mount.current,
      theirs: theirs.text,
      text,
      changed,
      save: use,
    });
    merge.current = shown;
    setLeft(getChunks(shown.view.state)?.chunks.length ?? 0);
    shown.view.focus();
    return () => shown.destroy();
  }, [theirs]);
  return html`<section class="conflict" aria-labelledby="conflict-title">
    <h3 id="conflict-title">Two versions of ${session.name}</h3>
    <p role="status">
      ${
        conflicts.length
          ? `In ${numberOf(conflicts.length, 'place')} both changed the same lines. The text below has yours at first.`
          : 'No line was changed by both. The text below has the changes of both.'
      }
      ${` It differs from what is saved in ${numberOf(left, 'place')}.`}
    </p>
    <div class="toolbar" role="toolbar" aria-label="Merging">
      <button type="button" class="primary" onClick=${use}>Save this text</button>
      <button type="button" onClick=${() => fill(theirs.text)}>Take all of theirs</button>
      <button type="button" onClick=${() => fill(mine)}>Take all of mine</button>
      ${
        conflicts.length > 0 &&
        html`<button type="button" title="Put their lines below yours" onClick=${keep.act}
          disabled=${keep.busy}>Keep both</button>`
      }
      <button type="button" onClick=${() => merge.current && goToPreviousChunk(merge.current.view)}>Previous</button>
      <button type="button" onClick=${() => merge.current && goToNextChunk(merge.current.view)}>Next</button>
      <button type="button" onClick=${() => session.postpone()}>Back to my text</button>
    </div>
    <${ErrorMessage} error=${keep.error} />
    <div class="sides" aria-hidden="true" hidden=${!beside}><span>Saved by others</span><span>Yours, to be
      saved</span></div>
    <div class="merge" ref=${mount}></div>
  </section>`;
}

/**
 * Show their text on the left; each difference has a button that takes it over.
 * @param {Options} options
 * @returns {Merge}
 */
function sideBySide({ parent, theirs, text, changed, save }) {
  const still = [EditorState.readOnly.of(true), EditorView.editable.of(false)];
  const views = new MergeView({
    parent,
    a: { doc: theirs, extensions: [basics('Saved by others'), still] },
    b: { doc: text, extensions: [basics('Your text, to be saved'), ...reporting(changed, save)] },
    revertControls: 'a-to-b',
    renderRevertControl: () => takeButton('Take theirs →', () => views.b.focus()),
    collapseUnchanged: COLLAPSED,
  });
  return { view: views.b, ...access(views.b), destroy: () => views.destroy() };
}

/**
 * Show both texts in one column, for a narrow screen: their lines are above yours.
 * @param {Options} options
 * @returns {Merge}
 */
function unified({ parent, theirs, text, changed, save }) {
  const plain = EditorState.create({ doc: theirs, extensions: EditorState.lineSeparator.of('\n') });
  const mergeControls = (/** @type {'accept' | 'reject'} */ type, /** @type {(event: MouseEvent) => void} */ act) => {
    const button = plainButton(type === 'accept' ? 'Keep mine' : 'Take theirs');
    button.onclick = act;
    return button;
  };
  const compared = unifiedMergeView({ original: plain.doc, mergeControls, collapseUnchanged: COLLAPSED });
  const extensions = [basics('Your text, to be saved'), ...reporting(changed, save), compared];
  const view = new EditorView({ parent, state: EditorState.create({ doc: text, extensions }) });
  return { view, ...access(view), destroy: () => view.destroy() };
}

/** Return the extensions that call `changed` after each change of the text or of the differences. */
function reporting(/** @type {Options['changed']} */ changed, /** @type {() => void} */ save) {
  const chunks = (/** @type {EditorState} */ state) => getChunks(state)?.chunks;
  const after = EditorView.updateListener.of(({ docChanged, startState, state }) => {
    if (docChanged || chunks(startState) !== chunks(state)) changed(state);
  });
  return [writing({ onChange: () => {}, onSave: save }), after];
}

const access = (/** @type {EditorView} */ view) => ({
  read: () => view.state.doc.toString(),
  write: (/** @type {string} */ whole) =>
    view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: whole } }),
});

function plainButton(/** @type {string} */ text) {
  const button = document.createElement('button');
  Object.assign(button, { type: 'button', textContent: text, className: 'take' });
  return button;
}

/** Return a button that CodeMirror, which listens for the mouse only, obeys when the keyboard presses it, too. */
function takeButton(/** @type {string} */ text, /** @type {() => void} */ then) {
  const button = plainButton(text);
  button.addEventListener('click', (event) => {
    if (event.detail === 0) button.dispatchEvent(new MouseEvent('mousedown', { bubbles: true, cancelable: true }));
    then();
  });
  return button;
}
