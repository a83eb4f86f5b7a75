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
 * @import { Proposal } from '../messages.d.ts'
 * @import { Session } from './session.js'
 * @typedef {Proposal & { base: string, mine: string, theirs: string }} Texts
 * @typedef {{ parent: Element, theirs: string, text: string, names: typeof NAMES['edited'],
 *   changed: (state: EditorState) => void, save: () => void }} Options
 * @typedef {{ view: EditorView, read: () => string, write: (whole: string) => void, destroy: () => void }} Merge
 */

const NARROW = 640; // pixels: below it there is no room for two columns
const COLLAPSED = { margin: 3, minSize: 8 };

/** What the two versions are called: of a note that is edited, and of one with a proposed edit. */
const NAMES = {
  edited: {
    left: 'Saved by others',
    right: 'Your text, to be saved',
    theirs: 'theirs',
    mine: 'mine',
    first: 'yours',
    both: 'Put their lines below yours',
  },
  proposed: {
    left: 'The note now',
    right: 'With the proposed edit, to be saved',
    theirs: 'the note',
    mine: 'the proposal',
    first: 'the proposed ones',
    both: 'Put the lines of the note below the proposed ones',
  },
};

/**
 * The conflict of a note that is edited.
 * @param {{ session: Session }} props
 */
export function Conflict({ session }) {
  const { theirs, text, conflicts } = /** @type {NonNullable<Session['conflict']['value']>} */ (session.conflict.value);
  const texts = { base: session.base.text, mine: session.read(), theirs: theirs.text, text, conflicts };
  return html`<${TwoVersions} kind="edited" name=${session.name} texts=${texts} onSave=${session.resolve.bind(session)}
    onChange=${session.merging.bind(session)} onBack=${() => session.postpone()} back="Back to my text" />`;
}

/**
 * Two versions of a note, and the text that is merged of them, which can be edited and saved. `texts.base` is what both
 * began with; `conflicts` are the places in which both changed the same lines.
 * @param {{ kind: keyof typeof NAMES, name: string, texts: Texts, onSave: (text: string) => unknown,
 *   onChange?: (text: string) => void, onBack: () => void, back: string }} props
 */
export function TwoVersions({ kind, name, texts, onSave, onChange, onBack, back }) {
  const { base, mine, theirs, text, conflicts } = texts;
  const names = NAMES[kind];
  const places = numberOf(conflicts.length, 'place');
  const mount = useElement(HTMLDivElement);
  const merge = useRef(/** @type {Merge | null} */ (null));
  const [left, setLeft] = useState(0);
  const [beside, setBeside] = useState(false);
  const save = useAction(async () => merge.current && onSave(merge.current.read()));
  const fill = (/** @type {string} */ whole) => merge.current?.write(whole);
  const keep = useAction(async () => fill((await api.merge({ base, mine, theirs, keep_both: true })).text));
  useEffect(() => {
    const changed = (/** @type {EditorState} */ state) => {
      setLeft(getChunks(state)?.chunks.length ?? 0);
      onChange?.(state.doc.toString());
    };
    const narrow = mount.current.clientWidth < NARROW;
    setBeside(!narrow);
    const shown = (narrow ? unified : sideBySide)({
      parent: mount.current,
      theirs,
      text,
      names,
      changed,
      save: save.act,
    });
    merge.current = shown;
    setLeft(getChunks(shown.view.state)?.chunks.length ?? 0);
    shown.view.focus();
    return () => shown.destroy();
  }, [theirs]);
  return html`<section class="conflict" aria-labelledby="conflict-title">
    <h3 id="conflict-title">Two versions of ${name}</h3>
    <p role="status">
      ${
        conflicts.length
          ? `In ${places} both changed the same lines. The text below has ${names.first} at first.`
          : 'No line was changed by both. The text below has the changes of both.'
      }
      ${` It differs from what is saved in ${numberOf(left, 'place')}.`}
    </p>
    <div class="toolbar" role="toolbar" aria-label="Merging">
      <button type="button" class="primary" onClick=${save.act} disabled=${save.busy}>Save this text</button>
      <button type="button" onClick=${() => fill(theirs)}>Take all of ${names.theirs}</button>
      <button type="button" onClick=${() => fill(mine)}>Take all of ${names.mine}</button>
      ${
        conflicts.length > 0 &&
        html`<button type="button" title=${names.both} onClick=${keep.act}
          disabled=${keep.busy}>Keep both</button>`
      }
      <button type="button" onClick=${() => merge.current && goToPreviousChunk(merge.current.view)}>Previous</button>
      <button type="button" onClick=${() => merge.current && goToNextChunk(merge.current.view)}>Next</button>
      <button type="button" onClick=${onBack}>${back}</button>
    </div>
    <${ErrorMessage} error=${keep.error ?? save.error} />
    <div class="sides" aria-hidden="true" hidden=${!beside}><span>${names.left}</span><span>${names.right}</span></div>
    <div class="merge" ref=${mount}></div>
  </section>`;
}

/**
 * Show their text on the left; each difference has a button that takes it over.
 * @param {Options} options
 * @returns {Merge}
 */
function sideBySide({ parent, theirs, text, names, changed, save }) {
  const still = [EditorState.readOnly.of(true), EditorView.editable.of(false)];
  const views = new MergeView({
    parent,
    a: { doc: theirs, extensions: [basics(names.left), still] },
    b: { doc: text, extensions: [basics(names.right), ...reporting(changed, save)] },
    revertControls: 'a-to-b',
    renderRevertControl: () => takeButton(`Take ${names.theirs} →`, () => views.b.focus()),
    collapseUnchanged: COLLAPSED,
  });
  return { view: views.b, ...access(views.b), destroy: () => views.destroy() };
}

/**
 * Show both texts in one column, for a narrow screen: their lines are above yours.
 * @param {Options} options
 * @returns {Merge}
 */
function unified({ parent, theirs, text, names, changed, save }) {
  const plain = EditorState.create({ doc: theirs, extensions: EditorState.lineSeparator.of('\n') });
  const mergeControls = (/** @type {'accept' | 'reject'} */ type, /** @type {(event: MouseEvent) => void} */ act) => {
    const button = plainButton(type === 'accept' ? `Keep ${names.mine}` : `Take ${names.theirs}`);
    button.onclick = act;
    return button;
  };
  const compared = unifiedMergeView({ original: plain.doc, mergeControls, collapseUnchanged: COLLAPSED });
  const extensions = [basics(names.right), ...reporting(changed, save), compared];
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
