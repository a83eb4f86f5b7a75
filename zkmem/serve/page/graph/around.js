// The places of a note and of those one link away, as the small map shows them: the note in the middle of rings.
import { NONE, SPACING } from './measures.js';

/** @import { NoteGraph } from './model.js' */

const ROOM = 4 * SPACING; // between two rings
const FIRST = 10; // notes of the innermost ring; each further one has as many more
const WIDE = 1.6; // the width of a ring, as a part of its height, so that there is room for names

/**
 * Give each node its place around one of them: notes of one folder side by side.
 * @param {NoteGraph} graph
 * @param {string | null} middle
 */
export function placeAround(graph, middle) {
  const others = graph.filterNodes((key) => key !== middle);
  const folder = (/** @type {string} */ key) => graph.getNodeAttribute(key, 'folder') ?? '\uffff';
  others.sort((one, other) => (folder(one) < folder(other) ? -1 : Number(folder(one) > folder(other))));
  if (middle !== null) graph.mergeNodeAttributes(middle, { x: 0, y: 0, community: NONE });
  for (let ring = 1, at = 0; at < others.length; ring += 1) {
    const row = others.slice(at, at + FIRST * ring);
    row.forEach((key, number) => {
      const angle = (2 * Math.PI * (number + 0.5)) / row.length;
      const [x, y] = [WIDE * ROOM * ring * Math.cos(angle), ROOM * ring * Math.sin(angle)];
      graph.mergeNodeAttributes(key, { x, y, community: NONE });
    });
    at += row.length;
  }
}
