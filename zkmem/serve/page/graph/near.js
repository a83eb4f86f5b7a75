// The node that a finger means, which covers more than a small node.

/** @import { Picture } from './picture.js' */

/**
 * Return the node whose edge is nearest to a point of the picture; null if none is within so many pixels.
 * @param {Picture['renderer']} renderer
 * @param {{ x: number, y: number }} point
 * @param {number} pixels
 */
export function nodeNear(renderer, point, pixels) {
  let best = { key: /** @type {string | null} */ (null), away: pixels };
  renderer.getGraph().forEachNode((key) => {
    const data = renderer.getNodeDisplayData(key);
    if (!data || data.hidden) return;
    const { x, y } = renderer.framedGraphToViewport(data);
    const away = Math.hypot(x - point.x, y - point.y) - renderer.scaleSize(data.size);
    if (away < best.away) best = { key, away };
  });
  return best.key;
}
