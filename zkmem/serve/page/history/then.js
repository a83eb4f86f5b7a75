// A note as it was at a moment. It can be read, but not edited.
import { html, useEffect, useState } from '../vendor/ui.js';
import { useActions } from '../shell/actions.js';
import { api } from '../server/api.js';
import { Body } from '../note/body.js';
import { ErrorMessage, Waiting, numberOf, useLoad } from '../common/load.js';
import { MomentStrip } from './strip.js';
import { correctAddress, go, historyHash, noteHash } from '../navigation.js';
import { Rest, Title } from '../note/note.js';
import { ActionsThen } from '../note/actions.js';
import { Properties } from '../note/properties.js';
import { depth, openNote, route } from '../state.js';
import { useKey } from '../common/typing.js';

/**
 * @import * as Messages from '../messages.d.ts'
 * @import { Then } from '../state.js'
 * @typedef {{ name: string } & Then} Wanted
 * @typedef {{ note: Messages.Note, wanted: Wanted, level: number }} Loaded `level` is the depth
 */

/**
 * A note at a moment. The text of another moment or note stays until this one is there.
 * @param {Wanted} props
 */
export function NoteThen({ name, at, named }) {
  const [first] = useState(() => noteNow(name));
  const wanted = { name, at, named };
  const { data, error, again } = useLoad(
    /** @returns {Promise<Loaded>} */
    async (signal) => renamed(data, wanted) ?? (await load(wanted, signal)),
    [name, at, named, depth.value],
    first,
  );
  const shown = error ? undefined : data;
  const isThere = Boolean(shown && isSame(shown.wanted, wanted));
  const now = (isThere && shown?.note.earlier?.now) || name;
  useEffect(() => {
    // one address for one note and one moment: that with its present name, if it has one
    const present = isThere && shown?.note.earlier?.now;
    if (present && (named || present !== name)) correctAddress(noteHash(present, route.peek().subpath, { at }));
  }, [shown]);
  useEffect(() => {
    openNote.value = shown?.note ?? null;
    return () => {
      openNote.value = null;
    };
  }, [shown]);
  const toNow = () => go(noteHash(now));
  useActions([
    { title: 'This note as it is now', hint: 'Esc', act: toNow },
    { title: 'History of this note', act: () => go(historyHash(now)) },
  ]);
  useKey('Escape', toNow);
  return html`<div class="then">
    <${MomentStrip} name=${name} now=${now} at=${at} note=${error ? null : isThere ? shown?.note : undefined} />
    <article class="note-page" aria-busy=${!error && !isThere}>
      <div class="head">
        <${Title} name=${shown?.note.name ?? name} focus />
        <${ActionsThen} name=${now} />
      </div>
      ${
        isThere &&
        now !== shown?.note.name &&
        html`<p class="quiet">Now called <a href=${noteHash(now)}>${now}</a>.</p>`
      }
      <${ErrorMessage} error=${error} again=${mayPass(error) ? again : undefined} />
      ${!shown && !error && html`<${Waiting} />`}
      ${shown && html`<${Text} ...${shown} again=${again} />`}
    </article>
  </div>`;
}

/** Return whether an error may pass: whether it is not about the note or the moment. */
const mayPass = (/** @type {{ status?: number } | undefined} */ error) => !error?.status || error.status >= 500;

/** @returns {Promise<Loaded>} */
async function load(/** @type {Wanted} */ wanted, /** @type {AbortSignal} */ signal) {
  const level = depth.peek();
  return { note: await api.note(wanted.name, level, wanted, signal), wanted, level };
}

/**
 * Return the open note as it is now, if it has this name.
 * @returns {Loaded | undefined}
 */
function noteNow(/** @type {string} */ name) {
  const note = openNote.peek();
  return note?.name === name ? { note, wanted: { name, at: '', named: '' }, level: depth.peek() } : undefined;
}

/**
 * Return what is loaded if it is what is wanted, under the present name of the note; else null.
 * @returns {Loaded | null}
 */
function renamed(/** @type {Loaded | undefined} */ loaded, /** @type {Wanted} */ wanted) {
  const isIt =
    loaded?.level === depth.peek() &&
    loaded.wanted.at === wanted.at &&
    loaded.note.earlier?.now === wanted.name &&
    !wanted.named;
  return isIt ? { ...loaded, wanted } : null;
}

const isSame = (/** @type {Wanted} */ one, /** @type {Wanted} */ other) =>
  one.name === other.name && one.at === other.at && one.named === other.named;

/** @param {Loaded & { again: () => void }} props */
function Text({ note, wanted, level, again }) {
  const [sought, setSought] = useState(false); // whether the place that the address names is in no part so far
  const onArrive = (/** @type {boolean} */ found) => setSought(!found);
  const part = (/** @type {number} */ offset) => api.part(wanted.name, level, offset, wanted);
  return html`<${Properties} values=${note.values} />
    ${note.earlier?.remarks.map((remark) => html`<p class="quiet" key=${remark}>${remark}</p>`)}
    ${note.characters === 0 && html`<p class="empty">This note was empty.</p>`}
    <${Body} name=${wanted.name} source=${note.html} onArrive=${onArrive} />
    ${
      note.next_offset !== null &&
      html`<${Rest} key=${JSON.stringify([wanted, level])} note=${note} load=${part} again=${again} sought=${sought}
        onArrive=${onArrive} />`
    }
    ${
      note.left.length > 0 &&
      html`<p class="quiet">One page shows no more. Not expanded: ${numberOf(note.left.length, 'link')}.</p>`
    }`;
}
