// A conflict: what is in the file, what was typed here, and the text to go on with, which can be edited.
import { html, useEffect, useRef, useState } from './vendor/ui.js';
import {
  EditorState,
  EditorView,
  MergeView,
  getChunks,
  goToNextChunk,
  goToPreviousChunk,
  unifiedMergeView,
} from './vendor/editor.js';
import { basics, writing } from './codemirror.js';
import { counted } from './load.js';

const NARROW = 640; // pixels: below it there is no room for two columns
const COLLAPSED = { margin: 3, minSize: 8 };

export function Conflict({ session }) {
  const mount = useRef(null);
  const merge = useRef(null);
  const [left, setLeft] = useState(0);
  const [beside, setBeside] = useState(false);
  const { theirs, text, conflicts } = session.conflict.value;
  const use = () => session.resolve(merge.current.read());
  const fill = (whole) => merge.current.write(whole);
  const mine = session.read();
  useEffect(() => {
    const changed = (state) => {
      setLeft(getChunks(state)?.chunks.length ?? 0);
      session.merging(state.doc.toString());
    };
    const narrow = mount.current.clientWidth < NARROW;
    setBeside(!narrow);
    merge.current = (narrow ? unified : sideBySide)({
      parent: mount.current,
      theirs: theirs.text,
      text,
      changed,
      save: use,
    });
    setLeft(getChunks(merge.current.view.state)?.chunks.length ?? 0);
    merge.current.view.focus();
    return () => merge.current.destroy();
  }, [theirs]);
  return html`<section class="conflict" aria-labelledby="conflict-title">
    <h3 id="conflict-title">Two versions of ${session.name}</h3>
    <p role="status">
      ${
        conflicts.length
          ? `In ${counted(conflicts.length, 'place')} both changed the same lines; what you typed stands there.`
          : 'No line was changed by both; the proposal has the changes of both.'
      }
      ${` It differs from what is saved in ${counted(left, 'place')}.`}
    </p>
    <div class="toolbar" role="toolbar" aria-label="Merging">
      <button type="button" class="primary" onClick=${use}>Save this text</button>
      <button type="button" onClick=${() => fill(theirs.text)}>Take all of theirs</button>
      <button type="button" onClick=${() => fill(mine)}>Take all of mine</button>
      <button type="button" onClick=${() => goToPreviousChunk(merge.current.view)}>Previous</button>
      <button type="button" onClick=${() => goToNextChunk(merge.current.view)}>Next</button>
      <button type="button" onClick=${() => session.putOff()}>Back to my text</button>
    </div>
    <div class="sides" aria-hidden="true" hidden=${!beside}><span>Saved by others</span><span>Yours, to be
      saved</span></div>
    <div class="merge" ref=${mount}></div>
  </section>`;
}

/** Theirs on the left; each place has a button that takes it over. */
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

/** Both in one column, for a narrow screen: what others have is above what is here. */
function unified({ parent, theirs, text, changed, save }) {
  const plain = EditorState.create({ doc: theirs, extensions: EditorState.lineSeparator.of('\n') });
  const mergeControls = (type, act) => {
    const button = plainButton(type === 'accept' ? 'Keep mine' : 'Take theirs');
    button.onclick = act;
    return button;
  };
  const compared = unifiedMergeView({ original: plain.doc, mergeControls, collapseUnchanged: COLLAPSED });
  const extensions = [basics('Your text, to be saved'), ...reporting(changed, save), compared];
  const view = new EditorView({ parent, state: EditorState.create({ doc: text, extensions }) });
  return { view, ...access(view), destroy: () => view.destroy() };
}

function reporting(changed, save) {
  const chunks = (state) => getChunks(state)?.chunks;
  const news = ({ docChanged, startState, state }) => docChanged || chunks(startState) !== chunks(state);
  const after = EditorView.updateListener.of((update) => news(update) && changed(update.state));
  return [writing({ onChange: () => {}, onSave: save }), after];
}

const access = (view) => ({
  read: () => view.state.doc.toString(),
  write: (whole) => view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: whole } }),
});

function plainButton(text) {
  const button = document.createElement('button');
  Object.assign(button, { type: 'button', textContent: text, className: 'take' });
  return button;
}

/** CodeMirror listens for the mouse here; the keyboard presses the same button. */
function takeButton(text, then) {
  const button = plainButton(text);
  button.addEventListener('click', (event) => {
    if (event.detail === 0) button.dispatchEvent(new MouseEvent('mousedown', { bubbles: true, cancelable: true }));
    then();
  });
  return button;
}
