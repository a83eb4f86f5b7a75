// Editing a note: the text, its tools, and the result of the last save.
import { effect, html, useEffect, useRef, useState } from './vendor/ui.js';
import { openSearchPanel } from './vendor/editor.js';
import { createEditor } from './codemirror.js';
import { Conflict } from './conflict.js';
import { Question } from './dialog.js';
import { Extract } from './extract.js';
import { Trouble, useLive } from './load.js';
import { Merged, News } from './remoteChanges.js';
import { confirmLeave } from './state.js';

/** `session` is a Session; `onClose` is called when the person is done with it. */
export function Editor({ session, onClose }) {
  const mount = useRef(null);
  const editor = useRef(null);
  const [asking, setAsking] = useState(null); // resolves the question whether to leave
  const [extracting, setExtracting] = useState(null);
  const save = () => session.save();
  useLive((names) => session.react(names));
  useEffect(() => {
    const label = `Text of ${session.name}`;
    const made = createEditor({
      parent: mount.current,
      text: session.start,
      label,
      onChange: () => session.typed(),
      onSave: save,
    });
    editor.current = made;
    session.attach(made);
    made.view.focus();
    if (session.restored) session.react(null); // what it stands on may be old by now
    const leave = () => session.keep();
    addEventListener('pagehide', leave);
    return () => {
      removeEventListener('pagehide', leave);
      session.start = made.read();
      made.view.destroy();
    };
  }, [session]);
  const ask = () => new Promise((resolve) => setAsking(() => resolve));
  useEffect(() => {
    const press = (event) => {
      if (event.key !== 's' || !(event.ctrlKey || event.metaKey) || event.defaultPrevented) return;
      event.preventDefault(); // the browser would save the page
      if (!session.conflict.value && !document.querySelector('dialog[open]')) save();
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, [session]);
  const answer = (leave) => (asking(leave), setAsking(null));
  useEffect(() => {
    if (!asking) return;
    const turnBack = () => answer(false); // another step in the history, while the question stands, is none away
    addEventListener('hashchange', turnBack);
    return () => removeEventListener('hashchange', turnBack);
  }, [asking]);
  useEffect(() => {
    const stop = effect(() => {
      confirmLeave.value = session.dirty.value ? ask : null; // from the first key on
    });
    return () => {
      stop();
      confirmLeave.value = null;
    };
  }, [session]);
  const close = async () => (!session.dirty.value || (await ask())) && onClose();
  const extract = () => {
    const { state } = editor.current.view;
    setExtracting(state.sliceDoc(state.selection.main.from, state.selection.main.to));
  };
  return html`<section class="editor" aria-label=${`Editing ${session.name}`}>
    <div class="toolbar" role="toolbar" aria-label="Editing" hidden=${Boolean(session.conflict.value)}>
      <button type="button" class="primary" aria-keyshortcuts="Control+S Meta+S" onClick=${save}
        aria-disabled=${session.busy.value}>Save</button>
      <button type="button" onClick=${close}>Done</button>
      <button type="button" onClick=${extract} title="Move the selected passage to a note of its own">Extract…</button>
      <button type="button" onClick=${() => openSearchPanel(editor.current.view)}>Find</button>
      <${Status} session=${session} />
    </div>
    <${Notices} session=${session} again=${save} />
    <div class="text" ref=${mount} hidden=${Boolean(session.conflict.value)} onKeyDown=${keep}></div>
    ${session.conflict.value && html`<${Conflict} session=${session} />`}
    ${asking && html`<${Leaving} session=${session} answer=${answer} />`}
    ${
      extracting !== null &&
      html`<${Extract} session=${session} passage=${extracting} onClose=${() => setExtracting(null)} />`
    }
  </section>`;
}

/** Keys that CodeMirror has used are none of the page's. */
const keep = (event) => event.defaultPrevented && event.stopPropagation();

function Status({ session }) {
  const { busy, dirty, outcome } = session;
  const said = busy.value
    ? 'Saving…'
    : dirty.value
      ? 'Not saved'
      : outcome.value
        ? 'Saved'
        : session.base.etag
          ? ''
          : 'New note';
  return html`<span class=${dirty.value ? 'status unsaved' : 'status'} role="status">${said}</span>`;
}

function Notices({ session, again }) {
  const { trouble, unsaveable, news, outcome } = session;
  return html`
    ${
      session.restored &&
      session.dirty.value &&
      html`<p class="notice">What you typed before is here again; it is not saved yet.</p>`
    }
    ${
      unsaveable.value &&
      html`<p class="notice warn" role="alert">The browser keeps no more text for this page: save before you reload or
        close it.</p>`
    }
    ${trouble.value && html`<${Trouble} error=${{ message: `Not saved. ${trouble.value.message}` }} again=${again} />`}
    ${news.value && !session.conflict.value && html`<${News} session=${session} />`}
    ${outcome.value && html`<${Merged} outcome=${outcome.value} />`}
  `;
}

/** Three ways to leave with unsaved changes; `answer(false)` stays. */
function Leaving({ session, answer }) {
  const save = async () => answer(Boolean(await session.save()) && !session.dirty.value);
  const discard = () => {
    session.discard();
    answer(true);
  };
  return html`<${Question} title="Unsaved changes" yes="Discard them" no="Keep editing" danger
    onAnswer=${(yes) => (yes ? discard() : answer(false))}
    also=${html`<button type="button" class="primary" onClick=${save}>Save</button>`}>
    <p>What you changed in <strong>${session.name}</strong> is not saved.</p>
  <//>`;
}
