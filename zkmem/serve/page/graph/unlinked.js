// The places of the notes without links: rows below the others.
import { SPACING } from './measures.js';

export const CELL = 1.3 * SPACING;
const AWAY = 3.5 * SPACING; // from the others
const WIDE = 1.6; // the width of the rows, as a part of their height, if no note has a link

/** @typedef {{ left: number, right: number, bottom: number }} Extent the space that the notes with links take */

/**
 * Return a function from the number of a note without links to its place.
 * @param {Extent | null} extent null if no note has a link
 * @param {number} count how many notes have no link
 * @returns {(at: number) => { x: number, y: number }}
 */
export function unlinkedPlaces(extent, count) {
  const least = Math.ceil(Math.sqrt(count * WIDE));
  const columns = extent ? Math.max(Math.floor((extent.right - extent.left) / CELL), Math.min(least, 12)) : least;
  const used = Math.min(columns, count);
  const middle = extent ? (extent.left + extent.right) / 2 : 0;
  const top = extent ? extent.bottom - AWAY : 0;
  return (at) => ({ x: middle + CELL * ((at % columns) - (used - 1) / 2), y: top - CELL * Math.floor(at / columns) });
}
