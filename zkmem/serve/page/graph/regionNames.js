// The names of regions in the picture: quiet, above their notes, while one sees more than one region.
import { brief } from './model.js';
import { regionsOf, unlinkedRegion } from './regions.js';

/**
 * @import { Palette } from './colours.js'
 * @import { Area } from './labels.js'
 * @import { Picture } from './picture.js'
 * @import { Region } from './regions.js'
 * @typedef {Area & { name: string, size: number, x: number }} Name
 */

const SMALLEST = 22; // pixels: the radius of a region that is large enough for a name
const LARGEST = 0.6; // of the picture: a region of this radius fills it, and needs no name
const SIZES = [12, 17];

/**
 * Return `find()`, to call when nodes have moved, `place()`, which returns where names are in the next frame, and
 * `write(context, faint)`.
 * @param {Picture['renderer']} renderer
 * @param {() => Palette} colours
 */
export function regionNames(renderer, colours) {
  let regions = /** @type {Region[]} */ ([]);
  let shown = /** @type {Name[]} */ ([]);
  const measure = /** @type {CanvasRenderingContext2D} */ (document.createElement('canvas').getContext('2d'));
  const find = () => {
    const graph = /** @type {import('./model.js').NoteGraph} */ (renderer.getGraph());
    const visible = (/** @type {string} */ key) => !renderer.getNodeDisplayData(key)?.hidden;
    const unlinked = unlinkedRegion(graph, visible);
    regions = [...(unlinked ? [unlinked] : []), ...regionsOf(graph, visible)];
  };

  function place() {
    const { width, height } = renderer.getDimensions();
    const camera = { cameraState: renderer.getCamera().getState() };
    shown = [];
    if (!renderer.getSetting('renderLabels') || (regions.length < 2 && !regions[0]?.unlinked)) return [];
    for (const { name, x, y, r, unlinked } of regions) {
      const [at, edge] = [y, y + r].map((level) => renderer.graphToViewport({ x, y: level }, camera));
      const radius = Math.hypot(edge.x - at.x, edge.y - at.y);
      if (!unlinked && (radius < SMALLEST || radius > LARGEST * Math.min(width, height))) continue;
      const size = Math.round(Math.min(SIZES[1], Math.max(SIZES[0], radius / 7)));
      const text = brief(name);
      measure.font = fontOf(size);
      const half = measure.measureText(text).width / 2;
      const middle = Math.max(half + 4, Math.min(at.x, width - half - 4)); // the whole name is in the picture
      const above = at.y - radius - size / 2;
      const own = { name: text, size, x: middle, left: middle - half, right: middle + half, y: above };
      const seen = at.x > 0 && at.x < width && above > 0 && above < height;
      if (seen && !shown.some((other) => covers(own, other))) shown.push(own);
    }
    return shown;
  }

  /**
   * @param {CanvasRenderingContext2D} context
   * @param {boolean} faint
   */
  function write(context, faint) {
    const { label, halo } = colours();
    context.save();
    Object.assign(context, {
      textAlign: 'center',
      lineJoin: 'round',
      lineWidth: 4,
      strokeStyle: halo,
      fillStyle: label,
    });
    context.globalAlpha = faint ? 0.3 : 0.85;
    for (const { name, size, x, y } of shown) {
      context.font = fontOf(size);
      context.strokeText(name, x, y + size / 3);
      context.fillText(name, x, y + size / 3);
    }
    context.restore();
  }

  return { find, place, write, shown: () => shown.map(({ name }) => name) };
}

const fontOf = (/** @type {number} */ size) => `650 ${size}px system-ui, sans-serif`;

const covers = (/** @type {Name} */ one, /** @type {Name} */ other) =>
  Math.abs(one.y - other.y) < (one.size + other.size) * 0.65 && one.left < other.right && other.left < one.right;
