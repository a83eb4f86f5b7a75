// The parts of the page that Home does not show: the other views, what is beside a note, and the dialogs.
import { html } from '../vendor/ui.js';
import { History } from '../history/history.js';
import { NoteThen } from '../history/then.js';
import { UndoDialog, UndoLast } from '../history/undo.js';
import { HoverCard } from '../note/hover.js';
import { NewNote } from '../note/new.js';
import { Note } from '../note/note.js';
import { Side } from '../note/side.js';
import { Help } from '../person/help.js';
import { SignIns } from '../person/signins.js';
import { Opened } from '../review/opened.js';
import { Review } from '../review/review.js';
import { Palette } from '../search/palette.js';
import { SearchResults } from '../search/results.js';
import { Lists, Tag } from '../vault/lists.js';
import { Base } from '../vault/table.js';
import { KINDS, Tidy } from '../vault/tidy.js';
import { parts } from './later.js';

/** @import { Route } from '../state.js' */

/** @param {{ route: Route }} props */
function View({ route: { view, name, list, at, named } }) {
  if (view === 'note' && name && at) return html`<${NoteThen} name=${name} at=${at} named=${named} />`;
  if (view === 'note' && name) return html`<${Note} key=${name} name=${name} />`;
  if (view === 'tidy' || (list && list in KINDS && view === 'list')) return html`<${Tidy} list=${list} />`;
  if (view === 'list') return html`<${Lists} key=${list} list=${list} />`;
  if (view === 'tag' && list) return html`<${Tag} key=${list} tag=${list} />`;
  if (view === 'base' && name) return html`<${Base} key=${`${name} ${list}`} base=${name} view=${list ?? ''} />`;
  if (view === 'search') return html`<${SearchResults} key=${list} query=${list ?? ''} />`;
  if (view === 'history') return html`<${History} key=${name ?? list} name=${name} number=${list} />`;
  return html`<${Review} query=${list} />`;
}

/** What opens over the page. */
const Dialogs = () => html`<${SignIns} /><${Help} /><${Palette} /><${NewNote} /><${UndoLast} /><${HoverCard} />`;

const PARTS = { Dialogs, Opened, Side, UndoDialog, View };

/** @typedef {typeof PARTS} Parts */

parts.value = PARTS;
