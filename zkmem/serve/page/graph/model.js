// The graph as graphology has it, made of what GET /graph answers.
import { Graph } from '../vendor/graph.js';

const MISSING = '\n'; // before the target of a missing note
const ODD = '\n\n'; // before a name that would be found in any object, like `constructor`, or taken for another's key

export const missingKey = (target) => MISSING + target;
export const noteKey = (name) => (name in Object.prototype || name.startsWith(MISSING) ? ODD + name : name);
export const isMissing = (key) => key.startsWith(MISSING) && !key.startsWith(ODD);

/** The name or target that a node stands for. */
export const nameOf = (key) => key.slice(key.startsWith(ODD) ? ODD.length : isMissing(key) ? MISSING.length : 0);

/** The last part of a name: what is shown beside a node. */
export const shortName = (name) => name.slice(name.lastIndexOf('/') + 1);

/** The node of a note or of a missing target; null if there is neither. */
export const keyOf = (graph, name) =>
  graph.hasNode(noteKey(name)) ? noteKey(name) : graph.hasNode(missingKey(name)) ? missingKey(name) : null;

/** Return a directed graph; a node has `label`, `weight`, `size`, `folder` and what `known` answers of its place. */
export function built({ names, weights, missing, links }, known = (/** @type {string} */ _) => undefined) {
  const graph = new Graph({ type: 'directed', multi: false });
  const keys = [...names.map(noteKey), ...missing.map(missingKey)];
  const sized = sizes(weights);
  const folders = folderOf(names);
  keys.forEach((key, at) => {
    const here = at < names.length;
    const attributes = { label: shortName(nameOf(key)), weight: weights[at] ?? 0, size: sized(weights[at] ?? 0) };
    graph.addNode(key, { ...attributes, folder: here ? folders(key) : null, ...known(key) });
  });
  for (let at = 0; at < links.length; at += 2) graph.mergeDirectedEdge(keys[links[at]], keys[links[at + 1]]);
  return graph;
}

/** Radius in pixels by weight: the heaviest note is about four times as wide as the lightest; many are all smaller. */
function sizes(weights) {
  const most = weights.reduce((a, b) => Math.max(a, b), 0) || 1;
  const crowd = Math.min(1, Math.max(0, Math.log10(weights.length / 50) / 2.3)); // 0 at 50 notes, 1 at 10,000
  const least = 4 - 2.3 * crowd;
  const span = 11 - 3 * crowd;
  return (weight) => least + span * (weight / most) ** 0.75;
}

/** The folder of a note, cut where the notes first part: all below one folder are told apart by the next. */
function folderOf(names) {
  const parts = names.map((name) => name.split('/').slice(0, -1));
  let shared = parts[0] ?? [];
  for (const part of parts) {
    let depth = 0;
    while (depth < shared.length && shared[depth] === part[depth]) depth += 1;
    shared = shared.slice(0, depth);
  }
  return (name) =>
    name
      .split('/')
      .slice(0, -1)
      .slice(0, shared.length + 1)
      .join('/');
}

/** All folders that have notes in or below them, with how many, in order of name. */
export function folderCounts(names) {
  const counts = new Map();
  for (const name of names) {
    for (let end = name.indexOf('/'); end >= 0; end = name.indexOf('/', end + 1)) {
      const folder = name.slice(0, end);
      counts.set(folder, (counts.get(folder) ?? 0) + 1);
    }
  }
  return [...counts].sort(([a], [b]) => a.localeCompare(b));
}

/** The nodes that are at most `depth` links away, in either direction, the node itself included. */
export function neighbourhood(graph, key, depth) {
  const seen = new Set([key]);
  let rim = [key];
  for (let step = 0; step < depth; step += 1) {
    const next = [];
    for (const one of rim) {
      graph.forEachNeighbor(one, (other) => {
        if (!seen.has(other)) next.push(other);
        seen.add(other);
      });
    }
    rim = next;
  }
  return seen;
}
