// The colours of the graph: the theme's custom properties, given to groups.
import { isMissing } from './model.js';

const COLOURS = 10;

/** What a picture of so many links is drawn with in the theme that is on now. */
export function theme(links) {
  const style = getComputedStyle(document.documentElement);
  const read = (name) => style.getPropertyValue(name).trim();
  return {
    groups: Array.from({ length: COLOURS }, (_, at) => read(`--group-${at}`)),
    other: read('--group-other'),
    missing: read('--graph-missing'),
    edge: premultiplied(read('--graph-edge'), Math.max(0.28, Math.min(1, Math.sqrt(2000 / (links || 1))))),
    lit: read('--graph-lit'),
    label: read('--text'),
    halo: read('--graph-back'),
    accent: read('--accent'),
    box: read('--raised'),
  };
}

/** '120 130 160 / 0.2' as sigma's blending wants it, each part times alpha; `share` makes many links fainter. */
function premultiplied(colour, share) {
  const [red, green, blue, alpha] = colour.split(/[\s/]+/).map(Number);
  const part = alpha * share;
  return `rgba(${[red, green, blue].map((one) => Math.round(one * part)).join(', ')}, ${part})`;
}

/** The group of a node under a choice of colours; null for a missing note. */
export const groupOf = (key, node, by) =>
  isMissing(key) ? null : by === 'folder' ? node.folder : (node.community ?? 0);

/**
 * The groups by size: `[{ group, name, count, colour }]`. All beyond the tenth share the last colour; they are one
 * entry whose `group` is OTHERS.
 */
export function legend(graph, by, { groups, other }) {
  const counts = new Map();
  const heaviest = new Map();
  graph.forEachNode((key, node) => {
    const group = groupOf(key, node, by);
    if (group === null) return;
    counts.set(group, (counts.get(group) ?? 0) + 1);
    if (!(heaviest.get(group)?.weight >= node.weight)) heaviest.set(group, node);
  });
  const sorted = [...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
  const name = (group) => (by === 'folder' ? group || 'no folder' : heaviest.get(group).label);
  const shown = sorted.length > COLOURS ? COLOURS - 1 : COLOURS;
  const entries = sorted
    .slice(0, shown)
    .map(([group, count], at) => ({ group, name: name(group), count, colour: groups[at] }));
  const rest = sorted.slice(shown);
  const count = rest.reduce((sum, [, one]) => sum + one, 0);
  if (rest.length) entries.push({ group: OTHERS, name: `${rest.length} others`, count, colour: other });
  return entries;
}

export const OTHERS = Symbol('others');

/** A lookup of legend entries by group. */
export function entryOf(entries) {
  const known = new Map(entries.map((entry) => [entry.group, entry]));
  return (group) => known.get(group) ?? known.get(OTHERS);
}
