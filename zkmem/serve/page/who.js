// Who made the edits of a sitting, in words.

/** @import * as Messages from './messages.d.ts' */

/** @type {Record<string, string>} */
const BY_OTHER_PROGRAMS = { hand: 'By hand', away: 'While zkmem was not running' };

/** Return who made the edits of a sitting. */
export function nameOf(/** @type {Messages.Review['sittings'][number]} */ { client, own, synchronised, outside }) {
  if (outside) return BY_OTHER_PROGRAMS[outside] ?? outside;
  if (own) return 'You';
  if (synchronised) return client || 'Synchronisation';
  return client || 'Somebody';
}
