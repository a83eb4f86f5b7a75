// The positions of nodes and the colours of folders, saved in the browser, so that a reload shows the same picture.
import { NONE } from './measures.js';

const MOST = 20_000; // nodes; beyond that the browser's store is too small for a vault

/**
 * @import { NoteGraph, Position } from './model.js'
 * @import { Slots } from './slots.js'
 */

const keyFor = (/** @type {string} */ vault) => `zkmem:map:${vault}`;

const coloursKey = (/** @type {string} */ vault) => `zkmem:colours:${vault}`;

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
  graph.forEachNode((key, { x, y, community = NONE }) => (positions[key] = [rounded(x), rounded(y), community]));
  save(keyFor(vault), positions);
}

/** Return the colours that folders had at the last visit. */
export const savedSlots = (/** @type {string} */ vault) =>
  /** @type {Slots} */ (JSON.parse(localStorage.getItem(coloursKey(vault)) ?? '{}'));

export const saveSlots = (/** @type {string} */ vault, /** @type {Slots} */ slots) => save(coloursKey(vault), slots);

function save(/** @type {string} */ key, /** @type {object} */ value) {
  try {
    localStorage.setItem(key, JSON.stringify(value));
  } catch (error) {
    const full = error instanceof DOMException && error.name === 'QuotaExceededError';
    if (!full) throw error; // if it is full, the next visit arranges the graph again
  }
}

/** Forget what is saved at sign-out, because the next person at this browser must not see the names of notes. */
export function forgetPositions(/** @type {string} */ vault) {
  localStorage.removeItem(keyFor(vault));
  localStorage.removeItem(coloursKey(vault));
}

const rounded = (/** @type {number} */ number) => Math.round(number * 10) / 10;
