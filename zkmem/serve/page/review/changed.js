// What edits did to notes: the changed passages of each, with the words that were added and removed.
import { html, useEffect, useRef, useState } from '../vendor/ui.js';
import { Body } from '../note/body.js';
import { Boundary } from '../common/boundary.js';
import { openFile } from '../note/files.js';
import { ErrorMessage, Waiting, numberOf, useLoad } from '../common/load.js';
import { AsItWas } from '../history/moments.js';
import { historyHash, noteHash } from '../navigation.js';
import { useAction } from '../common/preview.js';
import { api } from '../server/api.js';
import { Size } from './size.js';

/**
 * @import * as Messages from '../messages.d.ts'
 * @typedef {Messages.ChangedNote | Messages.LineChange} ChangedNote
 */

/**
 * The changed notes that `load` returns; it is called as soon as their place is in view. `onUndo` gets the number of
 * the passage to undo, which is one of the first note; `then`: the edit after which each note can be shown; `isBare`:
 * the first note gets no heading.
 * @param {{ load: () => Promise<{ notes: ChangedNote[], more?: number }>, keys: unknown[],
 *   onUndo?: (passage: number) => void, then?: string, isBare?: boolean }} props
 */
export function ChangedNotes(props) {
  const place = useRef(/** @type {HTMLDivElement | null} */ (null));
  const [isInView, setInView] = useState(false);
  useEffect(() => {
    const observer = new IntersectionObserver((entries) => {
      if (entries.some((entry) => entry.isIntersecting)) setInView(true);
    });
    if (place.current) observer.observe(place.current);
    return () => observer.disconnect();
  }, []);
  if (!isInView) return html`<div class="unloaded" ref=${place}><${Waiting} /></div>`;
  return html`<${Loaded} ...${props} />`;
}

/** @param {Parameters<typeof ChangedNotes>[0]} props */
function Loaded({ load, keys, onUndo, then, isBare = false }) {
  const { data, error, again } = useLoad(load, keys);
  if (!data) return error ? html`<${ErrorMessage} error=${error} again=${again} />` : html`<${Waiting} />`;
  return html`<${NotesChanged} notes=${data.notes} more=${data.more} onUndo=${onUndo} then=${then} isBare=${isBare} />`;
}

/**
 * Changed notes that are loaded: see `ChangedNotes`. `more`: how many notes are left out.
 * @param {{ notes: ChangedNote[], more?: number, onUndo?: (passage: number) => void, then?: string,
 *   isBare?: boolean }} props
 */
export function NotesChanged({ notes, more = 0, onUndo, then, isBare = false }) {
  return html`${notes.map(
    (note, at) => html`<${Changed} key=${note.name} note=${note} onUndo=${at ? undefined : onUndo} then=${then}
      isBare=${isBare && !at} />`,
  )}
  ${more > 0 && html`<p class="quiet">${numberOf(more, 'more note')}</p>`}`;
}

/** @param {{ note: ChangedNote, onUndo?: (passage: number) => void, then?: string, isBare: boolean }} props */
function Changed({ note, onUndo, then, isBare }) {
  const { name, left, trouble, warnings, outdated } = note;
  const passages = 'passages' in note ? note.passages : [{ number: null, under: '', html: note.html }];
  return html`<section class="changed" aria-label=${name}>
    ${!isBare && html`<${Heading} note=${note} then=${then} />`}
    ${passages.map(
      (one, at) => html`<${Passage} key=${at} name=${name} passage=${one} heading=${headingOf(passages, at)}
        onUndo=${passages.length > 1 ? onUndo : undefined} />`,
    )}
    ${left > 0 && html`<p class="quiet">${numberOf(left, 'more changed block')}</p>`}
    ${trouble && html`<p class="quiet">${trouble}</p>`}
    ${warnings.map((warning) => html`<p class="notice warn" key=${warning}>${warning}</p>`)}
    ${outdated.length > 0 && html`<p class="quiet">Other notes still have what was replaced:</p>`}
    <${OutdatedSentences} outdated=${outdated} />
  </section>`;
}

/**
 * The heading of a changed note. With `then`, the number of an edit, it is in the history, below no other heading.
 * @param {{ note: ChangedNote, then?: string }} props
 */
const Heading = ({
  note: { name, is_note: isNote, was, outcome, added, removed },
  then,
}) => html`<h4 aria-level=${then ? 3 : 4}>
  ${was && was !== name && html`<span class="was">${was}</span> → `}
  ${outcome === 'deleted' ? html`<span class="was">${name}</span>` : html`<${Name} name=${name} isNote=${isNote} />`}
  ${' '}<span class="tag">${outcome}</span>${' '}<${Size} added=${added} removed=${removed} />
  ${outcome === 'deleted' && isNote && html`${' '}<${AsItWas} name=${name} />`}
  ${
    then &&
    isNote &&
    html`${' '}<a href=${noteHash(name, '', { at: then, named: 'then' })}>As it was then</a>${' '}<a
      href=${historyHash(name)}>History</a>`
  }
</h4>`;

/** @param {{ name: string, isNote: boolean }} props */
const Name = ({ name, isNote }) =>
  isNote
    ? html`<a href=${noteHash(name)}>${name}</a>`
    : html`<button type="button" class="link" onClick=${() => openFile(name)}>${name}</button>`;

/** Return the heading to show above a passage; '' if the passage before has it, above it or in it. */
export function headingOf(/** @type {Messages.ChangedBlock[]} */ passages, /** @type {number} */ at) {
  const { under } = passages[at];
  const before = passages[at - 1];
  const shown = before && [before.under, ...(before.html.match(HEADING) ?? []).map(textOf)];
  return shown?.includes(under) ? '' : under;
}

const HEADING = /<h([1-6])[ >].*?<\/h\1>/gs;

const textOf = (/** @type {string} */ source) => source.replace(/<[^>]*>/g, '').trim();

/**
 * A changed passage below its heading.
 * @param {{ name: string, passage: Messages.ChangedBlock, heading: string, onUndo?: (passage: number) => void }} props
 */
function Passage({ name, passage: { number, html: source }, heading, onUndo }) {
  if (!source) return null;
  const undo = onUndo && number !== null ? () => onUndo(number) : null;
  return html`<div class="passage-changed">
    ${
      (heading || undo) &&
      html`<p class="under"><span>${heading}</span>${
        undo && html`<button type="button" class="plain" onClick=${undo}>Undo this passage…</button>`
      }</p>`
    }
    <${Boundary}><${Body} name=${name} source=${source} isPreview /></${Boundary}>
  </div>`;
}

/**
 * Sentences of other notes that still have a value which an edit has replaced, each with a button that mends it.
 * @param {{ outdated: Messages.Outdated[] }} props
 */
export function OutdatedSentences({ outdated }) {
  if (!outdated.length) return null;
  return html`<ul class="outdated" aria-label="Other notes that still have it">
    ${outdated.map((one) => html`<${Sentence} key=${`${one.note} ${one.old}`} one=${one} />`)}
  </ul>`;
}

/** @param {{ one: Messages.Outdated }} props */
function Sentence({ one }) {
  const { note, passage, new: now } = one;
  const [isMended, setMended] = useState(false);
  const { act, busy, error } = useAction(async () => {
    await mend(one);
    setMended(true);
  });
  return html`<li>
    <a href=${noteHash(note)}>${note}</a>: ${isMended ? one.mended : passage}${' '}
    ${
      isMended
        ? html`<span class="tag">mended</span>`
        : html`<button type="button" onClick=${act} disabled=${busy}><span>Put ${now} there</span></button>`
    }
    <${ErrorMessage} error=${error} />
  </li>`;
}

/** Replace the outdated sentence of a note by the mended one, if the note still has it exactly once. */
async function mend(/** @type {Messages.Outdated} */ { note, passage, mended }) {
  const { text, etag, next_offset: next } = await api.note(note);
  const at = text.indexOf(passage);
  if (next !== null || at < 0 || text.includes(passage, at + 1)) throw new Error('Open the note to mend it.');
  await api.save(note, text.slice(0, at) + mended + text.slice(at + passage.length), etag);
}
