// The middle of the page: what the address names.
import { html } from '../vendor/ui.js';
import { History } from '../history/history.js';
import { Home } from '../vault/home.js';
import { Lists, Tag } from '../vault/lists.js';
import { Note } from '../note/note.js';
import { Review } from '../review/review.js';
import { route } from '../state.js';
import { KINDS, Tidy } from '../vault/tidy.js';
import { NoteThen } from '../history/then.js';
import { Base } from '../vault/table.js';

export function Panel() {
  const { view, name, list, at, named } = route.value;
  if (view === 'note' && name && at) return html`<${NoteThen} name=${name} at=${at} named=${named} />`;
  if (view === 'note' && name) return html`<${Note} key=${name} name=${name} />`;
  if (view === 'tidy' || (list && list in KINDS && view === 'list')) return html`<${Tidy} list=${list} />`;
  if (view === 'list') return html`<${Lists} key=${list} list=${list} />`;
  if (view === 'tag' && list) return html`<${Tag} key=${list} tag=${list} />`;
  if (view === 'base' && name) return html`<${Base} key=${`${name} ${list}`} base=${name} view=${list ?? ''} />`;
  if (view === 'history') return html`<${History} key=${name ?? list} name=${name} number=${list} />`;
  if (view === 'review')
    return html`<article class="home"><${Review} />
      <p class="quiet"><a href="#/history">History of all edits</a></p></article>`;
  return html`<${Home} />`;
}
