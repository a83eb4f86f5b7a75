// The middle of the page: what the address names.
import { html, useLayoutEffect } from '../vendor/ui.js';
import { History } from '../history/history.js';
import { Home } from '../vault/home.js';
import { Lists, Tag } from '../vault/lists.js';
import { Note } from '../note/note.js';
import { Review } from '../review/review.js';
import { SearchResults } from '../search/results.js';
import { arriveAtView } from '../note/places.js';
import { address, route } from '../state.js';
import { KINDS, Tidy } from '../vault/tidy.js';
import { NoteThen } from '../history/then.js';
import { Base } from '../vault/table.js';

/** @import { Route } from '../state.js' */

export function Panel() {
  useLayoutEffect(arriveAtView, [address.value.position]);
  return shown(route.value);
}

function shown(/** @type {Route} */ { view, name, list, at, named }) {
  if (view === 'note' && name && at) return html`<${NoteThen} name=${name} at=${at} named=${named} />`;
  if (view === 'note' && name) return html`<${Note} key=${name} name=${name} />`;
  if (view === 'tidy' || (list && list in KINDS && view === 'list')) return html`<${Tidy} list=${list} />`;
  if (view === 'list') return html`<${Lists} key=${list} list=${list} />`;
  if (view === 'tag' && list) return html`<${Tag} key=${list} tag=${list} />`;
  if (view === 'base' && name) return html`<${Base} key=${`${name} ${list}`} base=${name} view=${list ?? ''} />`;
  if (view === 'search') return html`<${SearchResults} key=${list} query=${list ?? ''} />`;
  if (view === 'history') return html`<${History} key=${name ?? list} name=${name} number=${list} />`;
  if (view === 'review') return html`<${Review} query=${list} />`;
  return html`<${Home} />`;
}
