// Which links are drawn: in a large graph, only the strongest until one zooms in. Those of the note under the mouse and
// of the open note are drawn by overlay.js, whatever is left out here.
import { EdgeLineProgram } from '../vendor/graph.js';

/** @import { RenderParams } from '../vendor/graph.js' */

/** How many links are drawn when the whole graph is seen. */
const WIDEST = 6000;

/** Return how many links are drawn when one sees a part of the graph, `ratio` times as wide as the whole. */
export const linksAt = (/** @type {number} */ ratio, /** @type {number} */ links) =>
  Math.min(links, Math.round(WIDEST / Math.min(1, ratio)));

/** Draws the first links as lines, and more of them the nearer one is. It costs nothing to leave out the last ones. */
export class FewLinks extends EdgeLineProgram {
  render(/** @type {RenderParams} */ params) {
    const { array, verticesCount } = this;
    const vertices = 2 * linksAt(params.zoomRatio, verticesCount / 2);
    this.verticesCount = vertices;
    this.array = array.subarray(0, (array.length / (verticesCount || 1)) * vertices);
    super.render(params);
    Object.assign(this, { array, verticesCount });
  }
}

/**
 * Return the numbers of links in the order in which they are drawn: first the strongest link of each node, then the
 * second strongest of each, and so on; among these the strongest first. A link is strong if both its ends are heavy.
 * @param {number[]} links source, target, source, target, ...
 * @param {number[]} weights of the nodes; a missing note has none
 * @returns {number[]}
 */
export function byStrength(links, weights) {
  const weight = (/** @type {number} */ node) => 1 + (weights[node] ?? 0);
  const strengths = Float64Array.from({ length: links.length / 2 }, (_, at) =>
    Math.min(weight(links[2 * at]), weight(links[2 * at + 1])),
  );
  const order = [...strengths.keys()].sort((a, b) => strengths[b] - strengths[a] || a - b);
  /** @type {Map<number, number>} */
  const counts = new Map(); // the links of each node until now
  /** @type {number[][]} */
  const rounds = [];
  for (const at of order) {
    const ends = [links[2 * at], links[2 * at + 1]];
    const round = Math.min(...ends.map((node) => counts.get(node) ?? 0));
    for (const node of ends) counts.set(node, (counts.get(node) ?? 0) + 1);
    (rounds[round] ??= []).push(at);
  }
  return rounds.flat();
}
