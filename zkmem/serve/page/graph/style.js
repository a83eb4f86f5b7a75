// The style of each node under the current choices, and what the page says about the graph.
import { signal, untracked } from '../vendor/ui.js';
import { route, themeChanged } from '../state.js';
import { OTHERS, entryOf, groupOf, legend, theme } from './colours.js';
import { isMissing, keyOf, neighbourhood } from './model.js';
import { around, colourBy, folder, off, showMissing } from './view.js';

/** What the page says: counts, the folders to choose from, the legend's entries, whether the layout runs. */
export const about = signal({ notes: 0, links: 0, missing: 0, folders: [], entries: [], arranging: true });

export const describe = (more) => (about.value = { ...about.peek(), ...more });

let palette = null; // the colours of the theme
let lookOf = null; // the style of a node

export const colours = () => palette;

/** The colour of a node, and whether it is hidden. */
export const look = (key, node) => lookOf(key, node);

/** Take over the current choices; call it again when one of them changes. */
export function style(graph) {
  themeChanged.value;
  palette = theme(graph.size);
  const [by, within, hidden, hollow, near] = [
    colourBy.value,
    folder.value,
    off.value,
    showMissing.value,
    circle(graph),
  ];
  const entries = untracked(() => legend(graph, by, palette));
  const entry = entryOf(entries);
  const far = (key) => near !== null && !near.has(key);
  lookOf = (key, node) => {
    if (isMissing(key)) return { colour: palette.missing, hidden: !hollow || far(key) || (!near && within !== '') };
    const { group = OTHERS, colour = palette.other } = entry(groupOf(key, node, by)) ?? {};
    const outside = within !== '' && !key.startsWith(`${within}/`);
    return { colour, hidden: hidden.has(group) || outside || far(key) };
  };
  const missing = graph.reduceNodes((sum, key) => sum + isMissing(key), 0);
  untracked(() => describe({ notes: graph.order - missing, links: graph.size, missing, entries }));
}

/** The nodes around the open note, where only they are shown; else null. */
export function circle(graph) {
  if (!around.value || route.value.view !== 'note') return null;
  const key = keyOf(graph, route.value.name);
  return key && neighbourhood(graph, key, around.value);
}
