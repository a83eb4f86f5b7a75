// How nodes are drawn under the current choices, and what the page says about the graph.
import { untracked } from '../vendor/ui.js';
import {
  about,
  around,
  colourBy,
  folder,
  folderSlots,
  hiddenGroups,
  route,
  showMissing,
  style,
  themeChanges,
} from '../state.js';
import { OTHERS, colouring, entryOf, groupOf, legend, paletteFor } from './colours.js';
import { isMissing, keyOf, neighbourhood } from './model.js';

/**
 * @import { About } from '../state.js'
 * @import { Palette } from './colours.js'
 * @import { Node, NoteGraph } from './model.js'
 * @typedef {(key: string, node: Node) => { colour: string, hidden: boolean }} Look
 * @typedef {{ palette: Palette, look: Look }} Style
 */

/** Change a part of what the page says about the graph. */
export const describe = (/** @type {Partial<About>} */ more) => (about.value = { ...about.peek(), ...more });

/** Take over the current choices; call it again when one of them changes. */
export function updateStyle(/** @type {NoteGraph} */ graph) {
  themeChanges.value; // read it, so that an effect runs again when the theme changes
  const palette = paletteFor(graph.size);
  const [by, within, hidden, hollow, near] = [
    colourBy.value,
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
  /** @type {Look} */
  const look = (key, node) => {
    if (isMissing(key)) return { colour: palette.missing, hidden: !hollow || far(key) || (!near && within !== '') };
    const own = groupOf(key, node, by);
    const outside = within !== '' && !key.startsWith(`${within}/`);
    return { colour: colourOf(own), hidden: hidden.has(entry(own)?.group ?? OTHERS) || outside || far(key) };
  };
  const missing = graph.reduceNodes((sum, key) => sum + Number(isMissing(key)), 0);
  untracked(() => {
    style.value = { palette, look };
    describe({ notes: graph.order - missing, links: graph.size, missing, entries });
  });
}

/** Return the nodes around the open note, if the person chose to see only these; else null. */
export function nodesAround(/** @type {NoteGraph} */ graph) {
  const { view, name } = route.value;
  if (!around.value || view !== 'note' || !name) return null;
  const key = keyOf(graph, name);
  return key === null ? null : neighbourhood(graph, key, around.value);
}
