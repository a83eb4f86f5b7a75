// The moments at which a note or the vault has changed, and the words for them.
import { html } from '../vendor/ui.js';
import { api } from '../server/api.js';
import { isolated } from '../common/bidi.js';
import { go, noteHash } from '../navigation.js';
import { before, clientOf, isNumber } from './past.js';
import { sliderWanted } from '../state.js';
import { toast } from '../common/toasts.js';
import { ErrorMessage } from '../common/load.js';
import { useAction } from '../common/preview.js';

/**
 * @import { Earlier } from '../messages.d.ts'
 * @import { Edit } from './past.js'
 * @typedef {object} Moment
 * @property {string} at what the address of the note says
 * @property {number} time of the edit, in seconds since 1970
 * @property {'before' | 'after'} side of the edit
 * @property {string} what "edit 7 by Claude"
 * @property {string} edit its number; '' for a commit
 */

/** How many moments the page shows at first, and at most: the server lists no more edits. */
export const [FEW, MOST] = [200, 1000];

const SHORT = 7; // characters of a hash, as git shows it

/**
 * Return the last `count` moments of a note, the oldest first; with the name null, those of the vault. If these are
 * all, and the oldest is that of an edit, the moment before this edit comes first: the note may be older than the log.
 */
export async function momentsOf(/** @type {string | null} */ name, /** @type {number} */ count) {
  const { edits } = await api.log(name, count);
  const moments = edits.map(afterEdit).reverse();
  const isWhole = edits.length < count;
  const first = edits.at(-1);
  const isOlder = first && isWhole && isNumber(first.rev);
  return { moments: isOlder ? [beforeEdit(first), ...moments] : moments, isWhole };
}

/** @returns {Moment} */
const afterEdit = (/** @type {Edit} */ edit) => ({ ...about(edit), at: edit.rev, side: 'after' });

/** @returns {Moment} */
const beforeEdit = (/** @type {Edit} */ edit) => ({ ...about(edit), at: justBefore(edit), side: 'before' });

const about = (/** @type {Edit} */ edit) => ({
  time: edit.time,
  what: whatOf(edit),
  edit: isNumber(edit.rev) ? edit.rev : '',
});

/**
 * Return the moment before an edit. The one before edit 1 has no number, but a date; and the number before that of a
 * change by another program may be that of an earlier save, which is part of this change.
 */
const justBefore = (/** @type {Edit} */ { rev, time, outside }) =>
  rev === '1' || outside ? new Date((Math.floor(time) - 1) * 1000).toISOString().replace('.000', '') : before(rev);

/**
 * Return the moment of a note as the server describes it.
 * @returns {Moment}
 */
export function momentOf(/** @type {Earlier} */ { rev, time, author }) {
  if (!rev) return { at: rev, time, side: 'before', what: 'the first known edit', edit: '' };
  const what = `${named(rev)}${author && ` (${author})`}`;
  return { at: rev, time, side: 'after', what, edit: isNumber(rev) ? rev : '' };
}

/** Return what an edit was, and by whom, in words. */
function whatOf(/** @type {Edit} */ edit) {
  const { outside, client, rev } = edit;
  if (outside === 'hand') return `change ${rev} by hand`;
  if (outside === 'away') return `change ${rev} while zkmem was not running`;
  if (outside) return `change ${rev} by ${outside}`;
  return `${named(rev)}${client && ` by ${isolated(clientOf(edit))}`}`;
}

const named = (/** @type {string} */ rev) => (isNumber(rev) ? `edit ${rev}` : `commit ${rev.slice(0, SHORT)}`);

/** Show a note as it was before its last change; a deleted note as it was before the deletion. */
export async function showAsItWas(/** @type {string} */ name) {
  const [last, earlier] = (await api.log(name, 2)).edits;
  if (!last) return toast('No earlier moment of this note is known.');
  sliderWanted.value = true;
  const at = earlier?.rev ?? (isNumber(last.rev) ? justBefore(last) : last.rev);
  go(noteHash(name, '', { at }));
}

/**
 * A button that shows a note as it was before its last change.
 * @param {{ name: string }} props
 */
export function AsItWas({ name }) {
  const { act, busy, error } = useAction(() => showAsItWas(name));
  return html`<button type="button" onClick=${act} disabled=${busy}>As it was…</button>
    <${ErrorMessage} error=${error} />`;
}
