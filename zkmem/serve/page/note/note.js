// A note that is read or edited, and the offer to create one that does not exist.
import { html, useEffect, useLayoutEffect, useRef, useState } from '../vendor/ui.js';
import { useActions } from '../shell/actions.js';
import { api } from '../server/api.js';
import { AsItWas, showAsItWas } from '../history/moments.js';
import { Actions } from './actions.js';
import { EditableProperties, Properties } from './properties.js';
import { Body } from './body.js';
import { isFile, parted } from '../common/names.js';
import { Conflicts } from './conflicts.js';
import { draftOf } from '../editor/drafts.js';
import { openFile } from './files.js';
import { focusInGraph } from '../graph/later.js';
import { Editor, loadEditor } from '../editor/later.js';
import { ErrorMessage, Waiting, namesIn, numberOf, useChanges, useLoad } from '../common/load.js';
import { correctAddress, go, historyHash, noteHash, open } from '../navigation.js';
import { authorOf, clientOf, pastOf, restored } from '../history/past.js';
import { useAction } from '../common/preview.js';
import { useElement } from '../common/refs.js';
import { Remove, Rename } from './questions.js';
import { Why } from '../history/why.js';
import { Sentence } from '../common/sentence.js';
import { Session } from '../editor/session.js';
import { canWrite, depth, noteToEdit, openNote, route, vault } from '../state.js';
import { withBox } from './tasks.js';
import { lineOf, placeOfLine, placeRead, showPlace } from '../editor/sourcelines.js';
import { showError } from '../common/toasts.js';
import { isTyping, useKey } from '../common/typing.js';
import { useDropped } from '../shell/dropped.js';

/**
 * @import * as Messages from '../messages.d.ts'
 * @import { Question } from './actions.js'
 * @import { Task } from './body.js'
 * @import { Place } from '../editor/sourcelines.js'
 * @typedef {Place & { etag: string | null }} Wanted a place in the text with an etag
 * @typedef {Question | null} OpenDialog
 */

/** @param {{ name: string }} props */
export function Note({ name }) {
  const { data: note, error, again } = useLoad(() => api.note(name, depth.value), [name, depth.value]);
  const [session, setSession] = useState(() => (draftOf(name) ? new Session(name, NEW) : null));
  const [notice, setNotice] = useState('');
  const missing = error?.status === 404;
  const known = useRef(/** @type {string | null} */ (null)); // the etag of the text that the person saw or wrote
  const isWriting = useRef(false); // whether a change of a property is being saved
  const [line, setLine] = useState(0); // the first line that the editor shows
  const place = useRef(/** @type {Wanted | null} */ (null)); // where the person was reading before the note was edited
  useChanges(again);
  const mayEdit = canWrite(name) && !(missing && isFile(name)); // false until the vault is known
  useEffect(() => {
    if (mayEdit) loadEditor().catch(() => {}); // the editor says so when it is wanted
  }, [mayEdit]);
  useEffect(() => {
    let current = true;
    const say = (/** @type {string} */ who) => current && setNotice(`This note was changed by ${who} just now.`);
    if (known.current && note && note.etag !== known.current && !isWriting.current)
      authorOf(note.name, note.text).then(say);
    known.current = note?.etag ?? known.current;
    return () => {
      current = false;
    };
  }, [note?.etag]);
  useEffect(() => {
    // one address, one note, one draft
    if (note && note.name !== name) correctAddress(noteHash(note.name, route.peek().subpath));
  }, [note?.name]);
  useEffect(() => {
    openNote.value = note?.name === name && !missing ? note : null; // what is beside it stays while it is edited
    return () => {
      openNote.value = null;
    };
  }, [note, missing]);
  const [dialog, setDialog] = useState(/** @type {OpenDialog} */ (null)); // it stays open when others delete the note
  const edit = (/** @type {unknown} */ _ = null, /** @type {File[]} */ files = []) => {
    if (!mayEdit) return;
    const page = document.querySelector('.note-page');
    const next = note && !missing ? new Session(note.name, note) : new Session(name, NEW);
    const from = page && note && !missing ? placeRead(page) : null;
    place.current = from && { ...from, etag: null };
    setLine(from ? lineOf(next.start, from) : 0);
    next.waiting = files;
    setSession(next);
  };
  const done = (/** @type {Session} */ closed, /** @type {number | null} */ moved) => {
    const now = moved === null ? place.current : placeOfLine(closed.base.text, moved);
    place.current = now && { ...now, etag: closed.base.etag };
    setSession(null);
    setNotice('');
    known.current = closed.base.etag;
    if (closed.name !== name) open(closed.name);
    else again();
  };
  const resolved = (/** @type {{ etag: string }} */ { etag }) => {
    known.current = etag;
    again();
  };
  useEffect(() => {
    if (noteToEdit.value !== name || !(note || missing)) return;
    noteToEdit.value = null;
    if (missing) edit();
  }, [name, !note, missing]);
  const isOpen = Boolean(note?.name === name || missing);
  useDropped(!session && isOpen && mayEdit ? (files) => edit(null, files) : null);
  useKey('e', !session && (note || missing) ? edit : null);
  if (session)
    return html`<article class="note-page"><${Title} name=${session.name} /><${Editor} session=${session}
      line=${line} onClose=${(/** @type {number | null} */ moved) => done(session, moved)} /></article>`;
  if (missing && !dialog && isFile(name)) return html`<${File} path=${name} />`;
  if (missing && !dialog)
    return html`<${Missing} name=${name} error=${error} create=${edit}
      again=${again} />`;
  if (note?.name !== name)
    return error ? html`<${ErrorMessage} error=${error} again=${again} />` : html`<${Waiting} />`;
  return html`<${Reading} note=${note} error=${error} again=${again} edit=${edit} notice=${notice}
    dialog=${dialog} setDialog=${setDialog} onResolved=${resolved} place=${place} isWriting=${isWriting} />`;
}

const NEW = { text: '', etag: null };

/**
 * @param {{ note: Messages.Note, error?: Error, again: () => void, edit: () => void, notice: string,
 *   dialog: OpenDialog, setDialog: (dialog: OpenDialog) => void, onResolved: (edited: { etag: string }) => void,
 *   place: { current: Wanted | null }, isWriting: { current: boolean } }} props
 */
function Reading({ note, error, again, edit, notice, dialog, setDialog, onResolved, place, isWriting }) {
  const page = useElement(HTMLElement);
  const isNewer = useRef(false);
  useLayoutEffect(() => {
    const wanted = place.current;
    if (!wanted) return;
    showPlace(page.current, wanted); // in the text before the editing, then in the one after it
    if (wanted.etag === note.etag || isNewer.current) place.current = null;
    isNewer.current = true;
  }, [note.etag]);
  const close = () => setDialog(null);
  const [sought, setSought] = useState(false); // whether the place that the address names is in no part so far
  const tick = async (/** @type {Task} */ { line, isTicked, embed }) => {
    try {
      const ticked = embed ? await api.note(embed.name) : note;
      const content = embed && embed.etag !== ticked.etag ? null : withBox(ticked.text, line, isTicked);
      if (content !== null) {
        const saved = await api.save(ticked.name, content, ticked.etag);
        if (!embed) return onResolved(saved);
      }
    } catch (failure) {
      showError(failure);
    }
    again(); // the box is as the file has it
  };
  const part = (/** @type {number} */ offset) => api.part(note.name, depth.value, offset);
  const mayWrite = canWrite(note.name);
  const onTick = vault.value?.can_write ? tick : undefined;
  useActions([
    ...(mayWrite ? [{ title: 'Edit this note', hint: 'e', act: edit }] : []),
    ...(mayWrite ? [{ title: 'Rename this note…', act: () => setDialog('rename') }] : []),
    ...(mayWrite ? [{ title: 'Delete this note…', act: () => setDialog('remove') }] : []),
    { title: 'History of this note', act: () => go(historyHash(note.name)) },
    { title: 'This note as it was…', act: () => showAsItWas(note.name).catch(showError) },
    { title: 'Show this note in the map', hint: 'g', act: () => focusInGraph(note.name) },
  ]);
  const onArrive = (/** @type {boolean} */ found) => setSought(!found);
  return html`<article class="note-page" ref=${page}>
    <div class="head">
      <${Title} name=${note.name} focus />
      <${Actions} name=${note.name} edit=${edit} ask=${setDialog} />
    </div>
    <${ErrorMessage} error=${error} again=${again} />
    <p class="news" role="status">${notice}</p>
    ${
      mayWrite
        ? html`<${EditableProperties} note=${note} onSaved=${onResolved} again=${again} isWriting=${isWriting} />`
        : html`<${Properties} values=${note.values} />`
    }
    <${Conflicts} note=${note} onResolved=${onResolved} />
    ${note.characters === 0 && html`<p class="empty">This note is empty.</p>`}
    <${Body} name=${note.name} source=${note.html} onArrive=${onArrive} onTick=${onTick} />
    ${
      note.next_offset !== null &&
      html`<${Rest} key=${`${note.etag} ${depth.value}`} note=${note} load=${part} again=${again} sought=${sought}
        onArrive=${onArrive} onTick=${onTick} />`
    }
    ${
      note.left.length > 0 &&
      html`<p class="quiet">One page shows no more. Not expanded: ${numberOf(note.left.length, 'link')}.</p>`
    }
    ${dialog === 'why' && html`<${Why} name=${note.name} chosen=${String(getSelection())} onClose=${close} />`}
    ${dialog === 'rename' && html`<${Rename} name=${note.name} onClose=${close} />`}
    ${dialog === 'remove' && html`<${Remove} note=${note} onClose=${close} />`}
  </article>`;
}

/**
 * The parts of a long note after the first one. The person asks for each, or the address does, by a place in one.
 * `load` fetches the part at an offset.
 * @param {{ note: Messages.Note, load: (offset: number) => Promise<Messages.Part>, again: () => void, sought: boolean,
 *   onArrive: (found: boolean) => void, onTick?: (task: Task) => void }} props
 */
export function Rest({ note, load, again, sought, onArrive, onTick }) {
  const [parts, setParts] = useState(/** @type {Messages.Part[]} */ ([]));
  const { next_offset: offset } = parts.at(-1) ?? note;
  const { act, busy, error } = useAction(async () => {
    if (offset === null) return;
    const part = await load(offset);
    if (part.etag === note.etag) setParts([...parts, part]);
    else again(); // the note has changed: its parts do not fit together
  });
  useEffect(() => {
    if (sought && !busy && !error) act();
  }, [sought, busy, parts.length]);
  return html`${parts.map(
    (part, at) => html`<${Body} key=${at} name=${note.name} source=${part.html} onArrive=${onArrive}
      onTick=${onTick} />`,
  )}
    <${ErrorMessage} error=${error} />
    ${offset !== null && html`<button type="button" onClick=${act} disabled=${busy}>Read on</button>`}`;
}

/**
 * The last part of the name as the heading; the folders before it are small.
 * @param {{ name: string, focus?: boolean }} props
 */
export function Title({ name, focus = false }) {
  const heading = useElement(HTMLHeadingElement);
  useLayoutEffect(() => {
    if (focus && !isTyping()) heading.current.focus({ preventScroll: true });
  }, [name]);
  const { folders, last } = parted(name);
  return html`<h2 class="title" tabindex="-1" ref=${heading}>
    ${folders && html`<span class="folder">${folders}</span>`}<span class="base">${last}</span>
  </h2>`;
}

/**
 * A note that is not there: never written, renamed, or deleted.
 * @param {{ name: string, error: Error, create: () => void, again: () => void }} props
 */
function Missing({ name, error, create, again }) {
  const { data: past } = useLoad(() => pastOf(name), [name]);
  const { edit, now, rev } = past ?? {};
  const restore = useAction(async () => {
    const done = await restored(name, rev ?? '');
    if (done.name === name) again();
    else open(done.name);
  });
  const mayRestore = canWrite(name) && rev;
  return html`<article class="note-page absent">
    <${Title} name=${name} focus />
    <p>${edit ? 'This note is not there any more.' : 'This note is not written yet.'}</p>
    ${now && html`<p>It is called <a href=${noteHash(now)}>${now}</a> now.</p>`}
    ${edit && html`<p class="quiet">Last edit, by ${clientOf(edit)}: ${edit.title}</p>`}
    ${
      past !== undefined &&
      !mayRestore &&
      !now &&
      html`<p class="quiet"><${Sentence} text=${error.message} names=${namesIn(error)} /></p>`
    }
    <div class="toolbar">
      ${
        mayRestore &&
        html`<button type="button" class="primary" onClick=${restore.act} disabled=${restore.busy}>Restore</button>`
      }
      ${
        canWrite(name) &&
        html`<button type="button" class=${mayRestore ? '' : 'primary'} onClick=${create}>Create this note</button>`
      }
      ${edit && html`<a class="button" href=${historyHash(name)}>History</a>`}
      ${edit && html`<${AsItWas} name=${name} />`}
    </div>
    <${ErrorMessage} error=${restore.error} />
  </article>`;
}

/**
 * A file that is no note, at the address that a note of its name would have.
 * @param {{ path: string }} props
 */
function File({ path }) {
  const { data, error } = useLoad(() => api.blob(path), [path]);
  if (!data && !error) return html`<${Waiting} />`;
  return html`<article class="note-page">
    <${Title} name=${path} focus />
    <p>${error?.status === 404 ? 'There is no such file in this vault.' : error?.message}</p>
    ${data && html`<button type="button" class="primary" onClick=${() => openFile(path)}>Open the file</button>`}
  </article>`;
}
