// Who made the edits of a sitting, in words.

/** @import * as Messages from '../messages.d.ts' */

/** @type {Record<string, string>} */
const BY_OTHER_PROGRAMS = { hand: 'By hand', away: 'While zkmem was not running' };

/** Return how another program made changes, in words. */
export const byOthers = (/** @type {string} */ outside) => BY_OTHER_PROGRAMS[outside] ?? outside;

/** Return who made the edits of a sitting. */
export function nameOf(/** @type {Messages.Review['sittings'][number]} */ { client, own, synchronised, outside }) {
  if (outside) return byOthers(outside);
  if (own) return 'You';
  if (synchronised) return client || 'Synchronisation';
  return client || 'Somebody';
}
