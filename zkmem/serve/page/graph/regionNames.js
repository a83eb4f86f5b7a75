// The names of regions in the picture: quiet, above their notes, while one sees more than one region. A region that is
// called after a note has no name of its own: that of the note is bold.
import { leastOf, meet } from './freeSides.js';
import { brief } from './model.js';
import { regionsOf, unlinkedRegion } from './regions.js';

/**
 * @import { Palette } from './colours.js'
 * @import { Box, DiscGrid } from './freeSides.js'
 * @import { Picture } from './picture.js'
 * @import { Region } from './regions.js'
 * @typedef {Box & { name: string, size: number }} Name
 * @typedef {Region & { at: { x: number, y: number }, radius: number }} Seen
 */

const SMALLEST = 22; // pixels: the radius of a region that is large enough for a name
const LARGEST = 0.6; // of the picture: a region of this radius fills it, and needs no name
const MOST_COUNTED = 20; // nodes under a name
const SIZES = [12, 17];
const STEPS = [0, 1, 2, -1, -2]; // heights of a name by which it is moved away from its region, or into it

/**
 * Return `find()`, to call when nodes have moved, `look(isOn)`, to call in each frame, and then `place(discs, covered)`
 * and `write(context, faint)`.
 * @param {Picture['renderer']} renderer
 * @param {() => Palette} colours
 */
export function regionNames(renderer, colours) {
  let regions = /** @type {Region[]} */ ([]);
  let seen = /** @type {Seen[]} */ ([]); // those that have a name in this frame
  let shown = /** @type {Name[]} */ ([]);
  const measure = /** @type {CanvasRenderingContext2D} */ (document.createElement('canvas').getContext('2d'));
  const find = () => {
    const graph = /** @type {import('./model.js').NoteGraph} */ (renderer.getGraph());
    const visible = (/** @type {string} */ key) => !renderer.getNodeDisplayData(key)?.hidden;
    const unlinked = unlinkedRegion(graph, visible);
    regions = [...(unlinked ? [unlinked] : []), ...regionsOf(graph, visible)];
  };

  /**
   * Find which regions have a name in this frame. Return the notes after which some of them are called: the names of
   * these notes are also those of their regions.
   * @param {boolean} isOn whether names are written
   * @returns {Set<string>}
   */
  function look(isOn) {
    const { width, height } = renderer.getDimensions();
    shown = [];
    seen = [];
    if (!isOn || (regions.length < 2 && !regions[0]?.unlinked)) return new Set();
    for (const region of regions) {
      const { x, y, r } = region;
      const [at, edge] = [y, y + r].map((level) => renderer.graphToViewport({ x, y: level }));
      const radius = Math.hypot(edge.x - at.x, edge.y - at.y);
      const isApt = radius >= SMALLEST && radius <= LARGEST * Math.min(width, height);
      if ((isApt || region.unlinked) && at.x > 0 && at.x < width) seen.push({ ...region, at, radius });
    }
    return new Set(seen.flatMap(({ note }) => note ?? []));
  }

  /**
   * Return where the names of the other regions are.
   * @param {DiscGrid} discs the nodes, which a name covers only where there is no other place
   * @param {Box[]} covered where no name is written either
   */
  function place(discs, covered) {
    const { width, height } = renderer.getDimensions();
    for (const { name, note, at, radius } of seen) {
      if (note) continue;
      const size = Math.round(Math.min(SIZES[1], Math.max(SIZES[0], radius / 7)));
      const text = brief(name);
      measure.font = fontOf(size);
      const half = measure.measureText(text).width / 2;
      const middle = Math.max(half + 4, Math.min(at.x, width - half - 4)); // the whole name is in the picture
      const isApart = (/** @type {Box} */ box) =>
        box.top > 0 && box.bottom < height && ![...covered, ...shown].some((one) => meet(box, one));
      const [left, right] = [middle - half, middle + half];
      const boxes = [-1, 1]
        .flatMap((side) => STEPS.map((step) => at.y + side * (radius + (0.5 + step) * size)))
        .map((line) => ({ name: text, size, left, right, top: line - 0.6 * size, bottom: line + 0.6 * size }))
        .filter(isApart);
      if (boxes.length)
        shown.push(boxes.find((box) => !discs.some(box)) ?? leastOf(boxes, (box) => discs.count(box, MOST_COUNTED)));
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
    for (const { name, size, left, right, top } of shown) {
      const [x, y] = [(left + right) / 2, top + 0.93 * size];
      context.font = fontOf(size);
      context.strokeText(name, x, y);
      context.fillText(name, x, y);
    }
    context.restore();
  }

  return { find, look, place, write, shown: () => shown };
}

const fontOf = (/** @type {number} */ size) => `650 ${size}px system-ui, sans-serif`;
