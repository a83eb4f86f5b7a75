// The graph as an object of graphology, made from the answer of GET /graph.
import { Graph } from '../vendor/graph.js';
import { parted } from '../common/names.js';
import { byStrength } from './links.js';

/**
 * @import * as Messages from '../messages.d.ts'
 * @typedef {{ x: number, y: number, community?: number }} Position
 * @typedef {object} Node
 * @property {string} label
 * @property {number} weight
 * @property {number} size
 * @property {string | null} folder null for a missing note
 * @property {number} x
 * @property {number} y
 * @property {number} [community]
 * @property {boolean} [proposed] whether the note is only proposed
 * @typedef {Graph<Node>} NoteGraph
 */

const MISSING = '\n'; // before the target of a missing note
const ODD = '\n\n'; // before a name that every object has, like `constructor`, or that looks like another key

export const missingKey = (/** @type {string} */ target) => MISSING + target;
export const noteKey = (/** @type {string} */ name) =>
  name in Object.prototype || name.startsWith(MISSING) ? ODD + name : name;
export const isMissing = (/** @type {string} */ key) => key.startsWith(MISSING) && !key.startsWith(ODD);

/** Return the name or target of a node. */
export const nameOf = (/** @type {string} */ key) =>
  key.slice(key.startsWith(ODD) ? ODD.length : isMissing(key) ? MISSING.length : 0);

const HEAVY = 10; // the least weight of a note that is drawn as large as any
/** Return a name of at most `most` characters, for a picture. */
export function brief(/** @type {string} */ name, most = 40) {
  const letters = [...name.slice(0, 2 * (most + 1))]; // a letter may be two characters
  return name.length > most && letters.length > most ? `${letters.slice(0, most - 1).join('')}…` : name;
}

/** Return the node of a note or of a missing target; null if there is neither. */
export const keyOf = (/** @type {NoteGraph} */ graph, /** @type {string} */ name) =>
  graph.hasNode(noteKey(name)) ? noteKey(name) : graph.hasNode(missingKey(name)) ? missingKey(name) : null;

/**
 * Return a directed graph, whose links are in the order in which they are drawn; `known` returns the position of a node
 * if there is one. A node without a position has none until `placeNodes` gives it one.
 * @param {Messages.Graph} answer
 * @param {(key: string) => Position | undefined} known
 * @returns {NoteGraph}
 */
export function buildGraph({ names, weights, missing, links, shared }, known = () => undefined) {
  /** @type {Graph<Partial<Node>>} */
  const graph = new Graph({ type: 'directed', multi: false });
  const keys = [...names.map(noteKey), ...missing.map(missingKey)];
  const sized = sizes(weights);
  const folders = folderOf(shared);
  keys.forEach((key, at) => {
    const here = at < names.length;
    const attributes = {
      label: brief(parted(nameOf(key)).last),
      weight: weights[at] ?? 0,
      size: sized(weights[at] ?? 0),
    };
    graph.addNode(key, { ...attributes, folder: here ? folders(key) : null, ...known(key) });
  });
  for (const at of byStrength(links, weights)) graph.mergeDirectedEdge(keys[links[2 * at]], keys[links[2 * at + 1]]);
  return /** @type {NoteGraph} */ (graph);
}

/**
 * Return a function from a weight to a radius in pixels. The heaviest note is about four times as wide as the lightest;
 * among many notes all are smaller.
 * @param {number[]} weights
 */
export function sizes(weights) {
  const most = weights.reduce((a, b) => Math.max(a, b), HEAVY); // where all weigh little, none is large
  const share = Math.min(1, Math.max(0, Math.log10(weights.length / 50) / 2.3)); // 0 at 50 notes, 1 at 10,000
  const least = 4 - 2.3 * share;
  const span = 11 - 3 * share;
  return (/** @type {number} */ weight) => least + span * (weight / most) ** 0.75;
}

/** Return a function from a name to its folder, cut one level below the folder that all notes share. */
export function folderOf(/** @type {string} */ shared) {
  const depth = shared ? shared.split('/').length + 1 : 1;
  return (/** @type {string} */ name) => name.split('/').slice(0, -1).slice(0, depth).join('/');
}

/** Return all folders with the number of notes in or below them, in alphabetical order. */
export function folderCounts(/** @type {string[]} */ names) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const name of names) {
    for (let end = name.indexOf('/'); end >= 0; end = name.indexOf('/', end + 1)) {
      const folder = name.slice(0, end);
      counts.set(folder, (counts.get(folder) ?? 0) + 1);
    }
  }
  return [...counts].sort(([a], [b]) => a.localeCompare(b));
}

/**
 * Return the nodes that are at most `depth` links away, in either direction, with the node itself.
 * @param {NoteGraph} graph
 * @param {string} key
 * @param {number} depth
 */
export function neighbourhood(graph, key, depth) {
  const seen = new Set([key]);
  let frontier = [key];
  for (let step = 0; step < depth; step += 1) {
    /** @type {string[]} */
    const next = [];
    for (const one of frontier) {
      graph.forEachNeighbor(one, (other) => {
        if (!seen.has(other)) next.push(other);
        seen.add(other);
      });
    }
    frontier = next;
  }
  return seen;
}
