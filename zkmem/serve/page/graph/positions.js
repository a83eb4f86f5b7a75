// The positions of nodes, saved in the browser, so that a reload shows the same picture at once.

const MOST = 20_000; // nodes; beyond that the browser's store is too small for a vault

/** @import { NoteGraph, Position } from './model.js' */

const keyFor = (/** @type {string} */ vault) => `zkmem:places:${vault}`;

/**
 * Return a function from a node to its saved position, or undefined.
 * @param {string} vault
 * @returns {(key: string) => Position | undefined}
 */
export function savedPositions(vault) {
  const saved = JSON.parse(localStorage.getItem(keyFor(vault)) ?? '{}');
  return (key) => {
    const position = Object.hasOwn(saved, key) ? saved[key] : null;
    return position ? { x: position[0], y: position[1], community: position[2] } : undefined;
  };
}

/** Save the positions of all nodes. */
export function savePositions(/** @type {string} */ vault, /** @type {NoteGraph} */ graph) {
  if (graph.order > MOST) return;
  /** @type {Record<string, [number, number, number]>} */
  const positions = {};
  graph.forEachNode((key, { x, y, community = 0 }) => (positions[key] = [rounded(x), rounded(y), community]));
  try {
    localStorage.setItem(keyFor(vault), JSON.stringify(positions));
  } catch (error) {
    const full = error instanceof DOMException && error.name === 'QuotaExceededError';
    if (!full) throw error; // if it is full, the next visit arranges the graph again
  }
}

/** Forget the positions at sign-out, because the next person at this browser must not see the names of notes. */
export const forgetPositions = (/** @type {string} */ vault) => localStorage.removeItem(keyFor(vault));

const rounded = (/** @type {number} */ number) => Math.round(number * 10) / 10;
