// How the person wants to see the graph.
import { effect, signal } from '../vendor/ui.js';

const KEY = 'zkmem:view';
const kept = JSON.parse(localStorage.getItem(KEY) ?? '{}');

/** 'folder' or 'community'; null until the graph is there, which decides. */
export const colourBy = signal(kept.colourBy ?? null);

/** How many names are written: 0 none, 1 few, 2 some, 3 many. */
export const labels = signal(kept.labels ?? 2);

export const showMissing = signal(kept.showMissing ?? true);

/** A folder that alone is shown; '' for all. */
export const folder = signal('');

/** Groups of the legend that are switched off. */
export const off = signal(new Set());

/** How many links from the open note are shown: 0 for the whole graph. */
export const around = signal(0);

effect(() => {
  const keep = { colourBy: colourBy.value, labels: labels.value, showMissing: showMissing.value };
  localStorage.setItem(KEY, JSON.stringify(keep));
});

const reduced = matchMedia('(prefers-reduced-motion: reduce)');

/** Whether the person asked the system for less motion. */
export const still = () => reduced.matches;
