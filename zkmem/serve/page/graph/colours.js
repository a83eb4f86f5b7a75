// The colours of the graph, which are custom properties of the theme, and the groups that have them.
import { NONE } from './measures.js';
import { isMissing } from './model.js';

/**
 * @import { Node, NoteGraph } from './model.js'
 * @import { Slots } from './slots.js'
 * @typedef {ReturnType<typeof paletteFor>} Palette
 * @typedef {'folder' | 'community'} By
 * @typedef {string | number} Group a folder or the number of a community
 * @typedef {{ group: Group | typeof OTHERS, name: string, count: number, colour: string }} LegendEntry
 */

// Eight that please, since more cannot be told apart by all eyes without browns, olives and near-blacks. Their hues are
// 20 degrees of OKLCH apart, and each has three times the contrast of its ground. tests/page/map.test.mjs has the rule.
export const COLOURS = 8;
const LISTED = { folder: 24, community: COLOURS }; // groups in the legend; the others share its last entry

/** Return the colours of the present theme for a picture of so many links. */
export function paletteFor(/** @type {number} */ links) {
  const style = getComputedStyle(document.documentElement);
  const read = (/** @type {string} */ name) => style.getPropertyValue(name).trim();
  return {
    groups: Array.from({ length: COLOURS }, (_, at) => read(`--group-${at}`)),
    other: read('--group-other'),
    missing: read('--graph-missing'),
    faint: read('--graph-faint'),
    edge: premultiplied(read('--graph-edge'), Math.max(0.4, Math.min(1, Math.sqrt(2000 / (links || 1))))),
    lit: read('--graph-lit'),
    label: read('--text'),
    halo: read('--graph-back'),
    accent: read('--accent'),
    box: read('--raised'),
  };
}

/**
 * Return a colour like '120 130 160 / 0.2' as sigma blends it: each part times alpha. `share` makes many links fainter.
 * @param {string} colour
 * @param {number} share
 */
function premultiplied(colour, share) {
  const [red, green, blue, alpha] = colour.split(/[\s/]+/).map(Number);
  const part = alpha * share;
  return `rgba(${[red, green, blue].map((one) => Math.round(one * part)).join(', ')}, ${part})`;
}

/**
 * Return the group of a node under a choice of colours; null for a missing note.
 * @param {string} key
 * @param {Node} node
 * @param {By | null} by
 */
export const groupOf = (key, node, by) =>
  isMissing(key) ? null : by === 'folder' ? node.folder : (node.community ?? NONE);

/**
 * Return a function from a group to its colour. A folder has the colour of its slot, a community that of its number;
 * neither depends on how many notes the others have.
 * @param {By | null} by
 * @param {Palette} palette
 * @param {Slots} slots
 * @returns {(group: Group | null) => string}
 */
export const colouring =
  (by, { groups, other, missing }, slots) =>
  (group) =>
    group === null ? missing : (groups[typeof group === 'string' ? slots[group] : group] ?? other);

/**
 * Return the groups, the largest first. Those that are too many for a list share one entry, whose group is OTHERS.
 * @param {NoteGraph} graph
 * @param {By | null} by
 * @param {Palette} palette
 * @param {Slots} slots
 */
export function legend(graph, by, palette, slots) {
  /** @type {Map<Group, number>} */
  const counts = new Map();
  /** @type {Map<Group, Node>} */
  const heaviest = new Map();
  graph.forEachNode((key, node) => {
    const group = groupOf(key, node, by);
    if (group === null || node.proposed) return; // a proposed note has the colour of no group
    counts.set(group, (counts.get(group) ?? 0) + 1);
    if ((heaviest.get(group)?.weight ?? -1) < node.weight) heaviest.set(group, node);
  });
  const sorted = [...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
  const name = (/** @type {Group} */ group) =>
    by === 'folder' ? String(group) || 'no folder' : group === NONE ? 'no group' : (heaviest.get(group)?.label ?? '');
  const colour = colouring(by, palette, slots);
  const most = LISTED[by ?? 'folder'];
  const shown = sorted.length > most ? most - 1 : most;
  /** @type {LegendEntry[]} */
  const entries = sorted
    .slice(0, shown)
    .map(([group, count]) => ({ group, name: name(group), count, colour: colour(group) }));
  const rest = sorted.slice(shown);
  const count = rest.reduce((sum, [, one]) => sum + one, 0);
  if (rest.length) entries.push({ group: OTHERS, name: `${rest.length} others`, count, colour: palette.other });
  return entries;
}

export const OTHERS = Symbol('others');

/** Return a function from a group to its entry in the legend. */
export function entryOf(/** @type {LegendEntry[]} */ entries) {
  /** @type {Map<LegendEntry['group'] | null, LegendEntry>} */
  const known = new Map(entries.map((entry) => [entry.group, entry]));
  return (/** @type {Group | null} */ group) => known.get(group) ?? known.get(OTHERS);
}
