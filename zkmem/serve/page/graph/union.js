// The map of a replay: the present graph, and beside it the notes and links that are gone.
import { parted } from '../common/names.js';
import { isThereAt, nameAt } from './frames.js';
import { brief, folderOf, isMissing, missingKey, nameOf, noteKey } from './model.js';

/**
 * @import { Script } from './frames.js'
 * @import { Graph } from '../vendor/graph.js'
 * @import { Node, NoteGraph } from './model.js'
 * @typedef {ReturnType<typeof unionOf>} Union
 */

/**
 * Return a copy of the present graph with all that is gone, and the keys of the nodes and links of the script; null for
 * a link of a note to itself. What the script has after the last frame, and the present has not, ends with that frame,
 * and the other way round: so the last frame shows the present. The nodes in `added` have no positions.
 * @param {NoteGraph} present
 * @param {Script} script
 * @param {{ size: number, shared: string }} options `size`: of notes that are gone
 */
export function unionOf(present, script, { size, shared }) {
  const graph = /** @type {Graph<Partial<Node>>} */ (present.copy());
  const last = script.frames.length;
  const missing = new Map(present.filterNodes(isMissing).map((key) => [folded(nameOf(key)), key]));
  const used = /** @type {Set<string>} */ (new Set());
  /** @type {string[]} */
  const added = [];
  const keys = script.nodes.map((life) => {
    const own = life.missing ? (missing.get(folded(life.name)) ?? missingKey(life.name)) : noteKey(life.name);
    const isPresent = present.hasNode(own) && !used.has(own) && (life.missing || isThereAt(life, last));
    let key = own;
    while (!isPresent && graph.hasNode(key)) key += ' '; // another note has the name now
    if (!isPresent) {
      const folder = life.missing ? null : folderOf(shared)(life.name);
      graph.addNode(key, { label: labelOf(life.name), weight: 1, size, folder });
      const other = life.missing ? noteKey(life.name) : (missing.get(folded(life.name)) ?? '');
      const { x, y, community } = present.hasNode(other) ? present.getNodeAttributes(other) : NOWHERE;
      if (x === undefined) added.push(key);
      else graph.mergeNodeAttributes(key, { x, y, community }); // a note that is missing now was in its place
      if (isThereAt(life, last)) life.turns.push(last);
    }
    used.add(key);
    return key;
  });
  const edges = script.links.map((life) => {
    const [source, target] = [keys[life.source], keys[life.target]];
    if (source === target) return null;
    if (isThereAt(life, last) !== present.hasEdge(source, target)) life.turns.push(last);
    return graph.mergeDirectedEdge(source, target)[0];
  });
  return { graph: /** @type {NoteGraph} */ (graph), keys, edges, added };
}

const folded = (/** @type {string} */ name) => name.normalize('NFC').toLowerCase();

const NOWHERE = { x: undefined, y: undefined, community: undefined };

/** Return the name of a note for the picture. */
export const labelOf = (/** @type {string} */ name) => brief(parted(name).last);

/**
 * Return the nodes and links that are not there after so many frames, and the names of the notes then.
 * @param {Union} union
 * @param {Script} script
 * @param {number} frame
 */
export function stateAt({ graph, keys, edges }, script, frame) {
  const hiddenLinks = new Set(edges.filter((edge, at) => edge !== null && !isThereAt(script.links[at], frame)));
  const hidden = new Set(keys.filter((_, at) => !isThereAt(script.nodes[at], frame)));
  keys.forEach((key, at) => {
    const isLinked = (/** @type {string} */ edge) => !hiddenLinks.has(edge) && !hidden.has(graph.source(edge));
    if (script.nodes[at].missing && !graph.inEdges(key).some(isLinked)) hidden.add(key);
  });
  const names = new Map(keys.map((key, at) => [key, nameAt(script.nodes[at], frame)]));
  return { hidden, hiddenLinks, names };
}
