// How nodes are drawn under the current choices, and what the page says about the graph.
import { untracked } from '../vendor/ui.js';
import {
  about,
  around,
  colourBy,
  days,
  facts,
  folder,
  folderSlots,
  hiddenGroups,
  leaveOut,
  route,
  showMissing,
  sizeBy,
  sizeScale,
  style,
  tab,
  tag,
  themeChanges,
  until,
  writer,
} from '../state.js';
import { OTHERS, colouring, entryOf, groupOf, legend, paletteFor } from './colours.js';
import { isMissing, keyOf, nameOf, neighbourhood, sizes } from './model.js';
import { inOneColumn } from './view.js';

/**
 * @import { About } from '../state.js'
 * @import { Palette } from './colours.js'
 * @import { Node, NoteGraph } from './model.js'
 * @typedef {(key: string, node: Node) => { colour: string, hidden: boolean, size: number }} Look
 * @typedef {{ palette: Palette, look: Look }} Style
 */

const BESIDE = 1; // link from the note, in the picture beside it
const SMALL = 0.7; // how many times as large notes are there, and on a phone
const DAY_MS = 86_400_000;

/** Change a part of what the page says about the graph. */
export const describe = (/** @type {Partial<About>} */ more) => (about.value = { ...about.peek(), ...more });

/** Take over the current choices; call it again when one of them changes. */
export function updateStyle(/** @type {NoteGraph} */ graph) {
  themeChanges.value; // read it, so that an effect runs again when the theme changes
  const palette = paletteFor(graph.size);
  const [by, within, hidden, hollow, near] = [
    colourBy.value ?? 'folder',
    folder.value,
    hiddenGroups.value,
    showMissing.value,
    nodesAround(graph),
  ];
  const slots = folderSlots.value;
  const entries = untracked(() => legend(graph, by, palette, slots));
  const colourOf = colouring(by, palette, slots);
  const entry = entryOf(entries);
  const far = (/** @type {string} */ key) => near !== null && !near.has(key);
  const [filter, sizeOf] = [filterOf(), sizing(graph)];
  const look = (/** @type {string} */ key, /** @type {Node} */ node) => {
    const size = sizeOf(key, node);
    if (isMissing(key)) {
      const alone = (!near && within !== '') || graph.inNeighbors(key).every((source) => filter(source) === 'out');
      return { colour: palette.missing, hidden: !hollow || far(key) || alone, size };
    }
    const [own, passed] = [groupOf(key, node, by), filter(key)];
    const outside = (within !== '' && !key.startsWith(`${within}/`)) || passed === 'out';
    const colour = passed === 'faint' || node.proposed ? palette.faint : colourOf(own);
    return { colour, hidden: hidden.has(entry(own)?.group ?? OTHERS) || outside || far(key), size };
  };
  const missing = graph.reduceNodes((sum, key) => sum + Number(isMissing(key)), 0);
  const proposed = graph.reduceNodes((sum, _, node) => sum + Number(node.proposed ?? false), 0);
  untracked(() => {
    style.value = { palette, look };
    describe({ notes: graph.order - missing - proposed, links: graph.size, missing, proposed, entries });
  });
}

/**
 * Return a function from a note to 'in', or 'out' if a filter leaves it out, or 'faint' if it is old. A note of which
 * nothing is known passes.
 * @returns {(key: string) => 'in' | 'out' | 'faint'}
 */
function filterOf() {
  const [known, label, by, age, last, without] = [
    facts.value,
    tag.value,
    writer.value,
    days.value,
    until.value,
    leaveOut.value,
  ];
  const since = age ? Date.now() - age * DAY_MS : 0;
  const tagged = (/** @type {string} */ own) => own === label || own.startsWith(`${label}/`);
  return (key) => {
    const fact = known?.get(nameOf(key));
    if (!fact) return 'in';
    if ((label && !fact.tags.some(tagged)) || (by && fact.writer !== by)) return 'out';
    if (last !== null && fact.created > last) return 'out';
    if (fact.changed >= since) return 'in';
    return without ? 'out' : 'faint';
  };
}

/**
 * Return a function from a node to its radius under the current choices.
 * @param {NoteGraph} graph
 * @returns {(key: string, node: Node) => number}
 */
function sizing(graph) {
  const isSmall = tab.value !== 'graph' || inOneColumn();
  const scale = (isSmall ? SMALL : 1) * (tab.value === 'graph' ? sizeScale.value : 1);
  if (sizeBy.value === 'weight') return (_, { size }) => scale * size;
  const sized = sizes(graph.mapNodes((key) => graph.degree(key)));
  return (key) => scale * sized(graph.degree(key));
}

/** Return the nodes around the open note, if only these are shown: beside the note, or by choice in the map. */
export function nodesAround(/** @type {NoteGraph} */ graph) {
  const { view, name } = route.value;
  const links = tab.value === 'graph' ? around.value : BESIDE;
  if (!links || view !== 'note' || !name) return null;
  const key = keyOf(graph, name);
  return key === null ? null : neighbourhood(graph, key, links);
}
