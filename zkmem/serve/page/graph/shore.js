// The shore: the notes without links, in rows below the others.
import { SPACING } from './measures.js';

export const CELL = 1.3 * SPACING;
const AWAY = 3.5 * SPACING; // from the others
const WIDE = 1.6; // the width of a shore with no land, as a part of its height

/** @typedef {{ left: number, right: number, bottom: number }} Land the space that the notes with links take */

/**
 * Return a function from the number of a note on the shore to its place.
 * @param {Land | null} land null if no note has a link
 * @param {number} count how many notes are on the shore
 * @returns {(at: number) => { x: number, y: number }}
 */
export function shore(land, count) {
  const least = Math.ceil(Math.sqrt(count * WIDE));
  const columns = land ? Math.max(Math.floor((land.right - land.left) / CELL), Math.min(least, 12)) : least;
  const used = Math.min(columns, count);
  const middle = land ? (land.left + land.right) / 2 : 0;
  const top = land ? land.bottom - AWAY : 0;
  return (at) => ({ x: middle + CELL * ((at % columns) - (used - 1) / 2), y: top - CELL * Math.floor(at / columns) });
}
