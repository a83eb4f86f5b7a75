// Who made edits, in words.

/** @type {Record<string, string>} */
const BY_OTHER_PROGRAMS = { hand: 'By hand', away: 'While zkmem was not running' };

/** Return how another program made changes, in words. */
export const byOthers = (/** @type {string} */ outside) => BY_OTHER_PROGRAMS[outside] ?? outside;

/**
 * Return who made some edits.
 * @param {{ client: string, outside: string, own?: boolean, synchronised?: boolean }} edits
 */
export function nameOf({ client, outside, own = false, synchronised = false }) {
  if (outside) return byOthers(outside);
  if (own) return 'You';
  return client || (synchronised ? 'Synchronisation' : 'Somebody');
}
