// The shortest path between two notes.
import { isMissing, nameOf } from './model.js';

/** @import { NoteGraph } from './model.js' */

/**
 * Return the nodes of a shortest path, along links in either direction; null if there is none.
 * @param {NoteGraph} graph
 * @param {string} from
 * @param {string} to
 */
export function shortestPath(graph, from, to) {
  /** @type {Map<string, string | null>} */
  const before = new Map([[from, null]]);
  const queue = [from];
  for (const key of queue) {
    if (key === to) break;
    graph.forEachNeighbor(key, (other) => {
      if (before.has(other)) return;
      before.set(other, key);
      queue.push(other);
    });
  }
  if (!before.has(to)) return null;
  const path = [];
  for (let key = /** @type {string | null | undefined} */ (to); key; key = before.get(key)) path.push(key);
  return path.reverse();
}

/**
 * Return each step of a path in words: two names, and what joins them.
 * @param {NoteGraph} graph
 * @param {string[]} path
 */
export const stepsIn = (graph, path) =>
  path.slice(1).map((key, at) => {
    const [there, back] = [graph.hasDirectedEdge(path[at], key), graph.hasDirectedEdge(key, path[at])];
    const verb = there && back ? 'links to and from' : there ? 'links to' : 'is linked from';
    return { from: nameOf(path[at]), verb: isMissing(key) ? 'links to the missing' : verb, to: nameOf(key) };
  });
