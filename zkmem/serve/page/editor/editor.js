// Editing a note: the text, its tools, and the result of the last save.
import { effect, html, useEffect, useLayoutEffect, useRef, useState } from '../vendor/ui.js';
import { openSearchPanel } from '../vendor/editor.js';
import { useActions } from '../shell/actions.js';
import { createEditor } from './codemirror.js';
import { store, storeAtEnd } from './paste.js';
import { Conflict, TwoVersions } from './merging.js';
import { Question } from '../common/dialog.js';
import { Extract } from './extract.js';
import { ErrorMessage, numberOf, useChanges } from '../common/load.js';
import { useElement } from '../common/refs.js';
import { address, confirmLeave, route } from '../state.js';
import { isolated } from '../common/bidi.js';
import { Lines } from '../common/diff.js';
import { OutdatedSentences } from '../review/changed.js';
import { showError, toast } from '../common/toasts.js';
import { useDropped } from '../shell/dropped.js';

/** @import { Saved, Session } from './session.js' */

const SOURCE = 'zkmem:source'; // where this browser keeps whether the person wants to see the source

/** @type {Record<string, (who: string) => string>} */
const NOTICES = {
  changed: (who) =>
    `This note was changed by ${who} while you edited it. ` +
    'Your text is untouched. Saving merges the two, or shows where they differ.',
  gone: () =>
    'This note was deleted or renamed while you edited it. Your text is untouched; saving creates the note again.',
  'taken over': (who) => `This note was changed by ${who} just now. You see the new text.`,
};

/**
 * The editor of a note, which opens with `line` at the upper edge. `onClose` is called when the person is done; it gets
 * the line that is then at the upper edge, or null if that is still the same one.
 * @param {{ session: Session, line: number, onClose: (line: number | null) => void }} props
 */
export function Editor({ session, line, onClose }) {
  const mount = useElement(HTMLDivElement);
  const editor = useRef(/** @type {ReturnType<typeof createEditor> | null} */ (null));
  const [leaving, setLeaving] = useState(/** @type {{ answer: (leave: boolean) => void } | null} */ (null));
  const [passage, setPassage] = useState(/** @type {string | null} */ (null)); // what is extracted
  const [isSource, setSource] = useState(localStorage.getItem(SOURCE) === 'on');
  const save = () => session.save();
  useChanges((names) => session.checkForChanges(names));
  useEffect(() => {
    const label = `Text of ${session.name}`;
    const created = createEditor({
      parent: mount.current,
      text: session.start,
      label,
      onChange: () => session.typed(),
      onSave: save,
      session,
      line,
      isSource,
    });
    editor.current = created;
    session.attach(created);
    document.getElementById('panel')?.scrollTo({ top: 0, behavior: 'instant' });
    created.view.focus();
    if (session.restored) session.checkForChanges(null); // the note may have changed since
    if (session.waiting.length) storeAtEnd(session.waiting.splice(0), created.view, session);
    const keep = () => session.keep();
    addEventListener('pagehide', keep);
    return () => {
      removeEventListener('pagehide', keep);
      session.start = created.read();
      created.view.destroy();
      session.takeBack().catch(showError);
    };
  }, [session]);
  const { position } = address.value;
  const opened = useRef(position);
  useEffect(() => {
    if (position !== opened.current) editor.current?.goTo(route.peek().subpath); // the outline, for example
    opened.current = position;
  }, [position]);
  const toggleSource = () => {
    editor.current?.showSource(!isSource);
    localStorage.setItem(SOURCE, isSource ? 'off' : 'on');
    setSource(!isSource);
  };
  useDropped((files) => {
    if (!editor.current || session.conflict.value) return toast('Choose between the two versions first.', 'error');
    const { view } = editor.current;
    return store(files, view, view.state.selection.main.head, session);
  });
  /** @returns {Promise<boolean>} */
  const ask = () => new Promise((resolve) => setLeaving({ answer: resolve }));
  useEffect(() => {
    const press = (/** @type {KeyboardEvent} */ event) => {
      const act = { s: save, e: toggleSource }[event.key];
      if (!act || !(event.ctrlKey || event.metaKey) || event.altKey || event.defaultPrevented) return;
      event.preventDefault(); // the browser would save the page, or search
      if (!session.conflict.value && !document.querySelector('dialog[open]')) act();
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, [session, isSource]);
  const answer = (/** @type {boolean} */ leave) => {
    leaving?.answer(leave);
    setLeaving(null);
  };
  useLayoutEffect(() => {
    if (!leaving) return; // with the question, not after it is painted: a quick step must not be missed
    const turnBack = () => answer(false); // another step in the history while the question is open leads back
    addEventListener('hashchange', turnBack);
    return () => removeEventListener('hashchange', turnBack);
  }, [leaving]);
  useEffect(() => {
    const stop = effect(() => {
      confirmLeave.value = session.dirty.value ? ask : null; // from the first key on
    });
    return () => {
      stop();
      confirmLeave.value = null;
    };
  }, [session]);
  const close = async () => {
    if (session.busy.value) await session.saving;
    if (!session.dirty.value || (await ask())) onClose(editor.current?.movedTo() ?? null);
  };
  const extract = () => {
    if (!editor.current) return;
    const { state } = editor.current.view;
    setPassage(state.sliceDoc(state.selection.main.from, state.selection.main.to));
  };
  const find = () => editor.current && openSearchPanel(editor.current.view);
  useActions([
    { title: 'Save', hint: 'Ctrl S', act: save },
    { title: 'Finish editing', hint: 'Esc', act: close },
    { title: 'Extract the selected passage…', act: extract },
    { title: 'Find in this note', hint: 'Ctrl F', act: find },
    { title: isSource ? 'Live preview' : 'Source: show all marks', hint: 'Ctrl E', act: toggleSource },
  ]);
  const onKeyDown = (/** @type {KeyboardEvent} */ event) => {
    if (event.key === 'Escape' && !event.defaultPrevented && !event.isComposing) {
      event.preventDefault(); // CodeMirror has nothing to close, such as its completion
      close();
    }
    stopUsedKeys(event);
  };
  return html`<section class="editor" aria-label=${`Editing ${session.name}`}>
    <div class="toolbar" role="toolbar" aria-label="Editing" hidden=${Boolean(session.conflict.value)}>
      <button type="button" class="primary" aria-keyshortcuts="Control+S Meta+S" onClick=${save}
        aria-disabled=${session.busy.value}>Save</button>
      <button type="button" onClick=${close}>Done</button>
      <button type="button" onClick=${extract} title="Move the selected passage to a note of its own">Extract…</button>
      <button type="button" onClick=${find}>Find</button>
      <button type="button" aria-pressed=${isSource} aria-keyshortcuts="Control+E Meta+E"
        title="Show all marks, as in the file (Ctrl E)" onClick=${toggleSource}>Source</button>
      <${Status} session=${session} />
    </div>
    <${Notices} session=${session} again=${save} />
    <div class="text" ref=${mount} hidden=${Boolean(session.conflict.value)} onKeyDown=${onKeyDown}></div>
    ${session.conflict.value && html`<${Conflict} session=${session} />`}
    ${leaving && html`<${Leaving} session=${session} answer=${answer} />`}
    ${passage !== null && html`<${Extract} session=${session} passage=${passage} onClose=${() => setPassage(null)} />`}
  </section>`;
}

export { TwoVersions }; // loaded with the editor

/** Stop the keys that CodeMirror has used, so that the page does not use them, too. */
const stopUsedKeys = (/** @type {Event} */ event) => event.defaultPrevented && event.stopPropagation();

/** @param {{ session: Session }} props */
function Status({ session }) {
  const { busy, dirty, lastSave, storing } = session;
  const { name = '', which = '', share = 0 } = storing.value ?? {};
  const status = busy.value
    ? 'Saving…'
    : dirty.value
      ? 'Not saved'
      : lastSave.value
        ? 'Saved'
        : session.base.etag
          ? ''
          : 'New note';
  return html`<span class=${dirty.value ? 'status unsaved' : 'status'} role="status">${status}</span>
    <span class="storing" role="status">${name && `Storing “${isolated(name)}”${which && `, ${which}`}…`}</span>
    ${name && html`<progress value=${share} aria-label="Part that is sent" />`}`;
}

/** @param {{ session: Session, again: () => void }} props */
function Notices({ session, again }) {
  const { saveError, unsaveable, conflict, lastSave } = session;
  return html`
    ${
      session.restored &&
      session.dirty.value &&
      html`<p class="notice">This is what you typed before. It is not saved yet.</p>`
    }
    ${
      unsaveable.value &&
      html`<p class="notice warn" role="alert">The browser has no room to keep your text: save before you reload or
        close the page.</p>`
    }
    ${
      saveError.value &&
      html`<${ErrorMessage} error=${{ message: `Not saved. ${saveError.value.message}` }} again=${again} />`
    }
    ${!conflict.value && html`<${RemoteChangeNotice} session=${session} />`}
    ${lastSave.value && html`<${Merged} saved=${lastSave.value} />`}
  `;
}

/**
 * Three answers to the question whether to leave unsaved changes; `answer(false)` stays.
 * @param {{ session: Session, answer: (leave: boolean) => void }} props
 */
function Leaving({ session, answer }) {
  const save = async () => answer((await session.save()) && !session.dirty.value);
  const discard = () => {
    session.discard();
    answer(true);
  };
  return html`<${Question} title="Unsaved changes" yes="Discard" no="Keep editing" danger
    onAnswer=${(/** @type {boolean} */ yes) => (yes ? discard() : answer(false))}
    also=${html`<button type="button" class="primary" onClick=${save}>Save</button>`}>
    <p>Your changes in <strong>${session.name}</strong> are not saved.</p>
  <//>`;
}

/**
 * A notice that others have changed the note while it is edited.
 * @param {{ session: Session }} props
 */
function RemoteChangeNotice({ session }) {
  const change = session.remoteChange.value;
  if (!change) return null;
  const close = () => (session.remoteChange.value = null);
  return html`<div class=${change === 'taken over' ? 'notice' : 'notice warn'} role="status">
    <p>${NOTICES[change](session.author.value)}</p>
    ${change === 'changed' && html`<button type="button" onClick=${() => compare(session)}>Compare</button>`}
    ${change === 'taken over' && html`<button type="button" onClick=${close}>OK</button>`}
  </div>`;
}

const compare = (/** @type {Session} */ session) =>
  session.compare().catch((/** @type {Error} */ error) => (session.saveError.value = error));

/**
 * The changes of others that a save merged, and its other remarks.
 * @param {{ saved: Saved }} props
 */
export function Merged({ saved: { merged, remarks, relinked, outdated } }) {
  const changes = merged.filter((line) => /^[+-]/.test(line));
  const others =
    relinked.length > 0 &&
    `Links in ${relinked.map(isolated).join(', ')} were made longer, so that they still lead to the same notes.`;
  if (!merged.length && !remarks.length && !others) return null;
  return html`<div class="notice" role="status">
    ${
      merged.length > 0 &&
      html`<p>Saved, and merged with the changes of others: ${numberOf(changes.length, 'line')}.</p>
      <${Lines} lines=${merged} label="Lines that came from others" />`
    }
    ${remarks.map((remark) => html`<p key=${remark}>${remark}</p>`)} ${others && html`<p>${others}</p>`}
    <${OutdatedSentences} outdated=${outdated} />
  </div>`;
}
