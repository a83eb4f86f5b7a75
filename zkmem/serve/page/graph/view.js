// Remembers in the browser how the person wants to see the graph.
import { effect } from '../vendor/ui.js';
import { colourBy, labels, showMissing } from '../state.js';

const KEY = 'zkmem:view';
const saved = JSON.parse(localStorage.getItem(KEY) ?? '{}');

colourBy.value = saved.colourBy ?? null;
labels.value = saved.labels ?? labels.peek();
showMissing.value = saved.showMissing ?? showMissing.peek();

effect(() => {
  const choices = { colourBy: colourBy.value, labels: labels.value, showMissing: showMissing.value };
  localStorage.setItem(KEY, JSON.stringify(choices));
});

const reduced = matchMedia('(prefers-reduced-motion: reduce)');

/** Return whether the person asked the system for less motion. */
export const still = () => reduced.matches;

const narrow = matchMedia('(max-width: 719px)');

/** Return whether the page has one column, as on a phone. */
export const inOneColumn = () => narrow.matches;

const coarse = matchMedia('(pointer: coarse)');

/** Return whether the person points with a finger. */
export const byFinger = () => coarse.matches;

/**
 * Draw nodes and links of a picture again, at its next frame. They stay where sigma has them unless `anew`. If sigma is
 * about to arrange all of them anyway, as after a change of its settings, it does not know where they are.
 * @param {import('../vendor/graph.js').Sigma} renderer
 * @param {{ nodes: string[], edges?: string[] }} partialGraph
 */
export function repaint(renderer, partialGraph, anew = false) {
  // a private field: sigma tells it nowhere else
  const skipIndexation = !anew && !renderer['needToProcess'];
  renderer.refresh({ partialGraph, skipIndexation, schedule: true });
}
