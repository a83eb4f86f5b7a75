// An open line of a brief: what was done to a note, and what can be done about that.
import { html } from '../vendor/ui.js';
import { api } from '../server/api.js';
import { AsItWas } from '../history/moments.js';
import { editHash, noteHash } from '../navigation.js';
import { openFile } from '../note/files.js';
import { nameOf } from '../common/who.js';
import { addressOf, mayUndo, whyNoUndo } from './brief.js';
import { ChangedNotes } from './changed.js';

/** @import { Line } from './brief.js' */

const MOST_NUMBERS = 10; // of edits

/** @param {{ line: Line, onUndo: (passage?: number) => void }} props */
export function Opened({ line, onUndo }) {
  const { note, kind, edit, first, edits, outside, version, is_note: isNote } = line;
  const may = mayUndo(line);
  const reason = whyNoUndo(outside);
  const numbers = edits.slice(0, MOST_NUMBERS);
  return html`<div class="line-open">
    <div class="toolbar">
      ${
        isNote &&
        (kind === 'deleted'
          ? html`<${AsItWas} name=${note} />`
          : html`<a class="button" href=${noteHash(note)}>Open the note</a>`)
      }
      ${
        !isNote &&
        kind !== 'deleted' &&
        html`<button type="button" onClick=${() => openFile(note)}>Open the file</button>`
      }
      ${may && html`<button type="button" class="danger" onClick=${() => onUndo()}>Undo…</button>`}
      <span class="quiet">${outside ? 'Changes' : 'Edits'}${numbers.map(
        (number) => html` <a href=${editHash(String(number))} key=${number}>${number}</a>`,
      )}${edits.length > numbers.length && ` and ${edits.length - numbers.length} more`}: <span
        title=${version}>${nameOf(line)}</span></span>
      ${reason && html`<span class="quiet">${reason}</span>`}
    </div>
    <${ChangedNotes} load=${() => api.change(addressOf(line))} keys=${[note, edit, first]} isBare
      onUndo=${may && kind !== 'deleted' ? onUndo : undefined} />
  </div>`;
}
