// Which of the colours each folder has. It follows from the name alone, except where two folders would have the same.
import { COLOURS } from './colours.js';

const STEPS = [1, 3, 5, 7]; // none has a divisor in common with 8, so that each leads to every colour
const MOST = 2000; // folders whose colours are remembered

/** @typedef {Record<string, number>} Slots the number of the colour of each folder */

/**
 * Return the colours of folders. A folder that had one keeps it; another gets the first of its colours that no folder
 * of the vault has, or the very first of its colours if all are taken.
 * @param {Slots} known
 * @param {Iterable<string>} folders
 * @returns {Slots}
 */
export function withSlots(known, folders) {
  const present = [...new Set(folders)].sort(); // in the order of their names, so that every browser chooses alike
  const valid = Object.entries(known).filter(([, slot]) => slot < COLOURS); // there were more colours once
  const slots = new Map(valid.slice(0, MOST));
  const taken = new Set(present.map((folder) => slots.get(folder)));
  for (const folder of present) {
    if (slots.has(folder)) continue;
    const own = preferences(folder);
    const slot = own.find((one) => !taken.has(one)) ?? own[0];
    slots.set(folder, slot);
    taken.add(slot);
  }
  return Object.fromEntries(slots);
}

/** Return all colours in the order in which a folder takes them. */
export function preferences(/** @type {string} */ folder) {
  const hash = hashOf(folder);
  const step = STEPS[(hash >>> 16) % STEPS.length];
  return Array.from({ length: COLOURS }, (_, at) => ((hash % COLOURS) + at * step) % COLOURS);
}

/** Return a number of 32 bits that depends on each character (FNV-1a, and a last step that mixes the bits). */
function hashOf(/** @type {string} */ text) {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return (hash ^ (hash >>> 13)) >>> 0;
}
