// How names are written into the picture.

/**
 * @import { Palette } from './colours.js'
 * @import { NodeDisplayData, PartialButFor, Settings } from '../vendor/graph.js'
 * @typedef {PartialButFor<NodeDisplayData, 'x' | 'y' | 'size' | 'label' | 'color'>} Drawn
 * @typedef {Drawn & { key?: string, whole?: string }} Shown
 * @typedef {Settings} Options
 * @typedef {{ left: number, right: number, y: number }} Area
 */

/**
 * Return a drawer that writes names beside their nodes, with a halo, none over another.
 * `clear(regions)` is called before each frame, with the names of regions; a note of the same name needs none.
 * @param {() => Palette} colours
 */
export function labelDrawer(colours) {
  /** @type {Area[]} */
  let taken = [];
  /** @type {Set<string>} */
  let written = new Set();
  /**
   * @param {CanvasRenderingContext2D} context
   * @param {Shown} data
   * @param {Options} settings
   */
  const draw = (context, data, settings) => {
    if (!data.label || data.highlighted || written.has(data.label)) return; // what is lit is written on top
    context.font = `${settings.labelWeight} ${settings.labelSize}px ${settings.labelFont}`;
    const left = data.x + data.size + 3;
    const area = { left, right: left + context.measureText(data.label).width, y: data.y };
    if (taken.some((other) => crosses(other, area, settings.labelSize + 2))) return;
    taken.push(area);
    write(context, data, data.label, settings, colours());
  };
  const clear = (/** @type {(Area & { name: string })[]} */ regions) => {
    taken = [...regions];
    written = new Set(regions.map(({ name }) => name));
  };
  return { draw, clear };
}

const crosses = (/** @type {Area} */ one, /** @type {Area} */ other, /** @type {number} */ height) =>
  Math.abs(one.y - other.y) < height && one.left < other.right && other.left < one.right;

/**
 * Return a drawer of the names that are lit. The node under the mouse and that of the open note get a box with the
 * whole name; the names of neighbours are written unless there are many.
 * @param {() => Palette} colours
 * @param {(key?: string) => boolean} isBoxed
 * @param {() => boolean} fewLit
 */
export function hoverDrawer(colours, isBoxed, fewLit) {
  /**
   * @param {CanvasRenderingContext2D} context
   * @param {Shown} data
   * @param {Options} settings
   */
  return (context, data, settings) => {
    if (isBoxed(data.key)) box(context, data, settings, colours());
    else if (fewLit() && data.label) write(context, data, data.label, settings, colours());
  };
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {Shown} data
 * @param {string} text
 * @param {Options} settings
 * @param {Palette} palette
 */
function write(context, { x, y, size }, text, { labelFont, labelSize, labelWeight }, { label, halo }) {
  context.font = `${labelWeight} ${labelSize}px ${labelFont}`;
  context.lineJoin = 'round';
  context.lineWidth = 3;
  context.strokeStyle = halo;
  context.strokeText(text, x + size + 4, y + labelSize / 3);
  context.fillStyle = label;
  context.fillText(text, x + size + 4, y + labelSize / 3);
}

/**
 * Draw a box with a name to the right of the node, or to its left where the picture ends.
 * @param {CanvasRenderingContext2D} context
 * @param {Shown} data
 * @param {Options} settings
 * @param {Palette} palette
 */
function box(context, data, { labelFont, labelSize }, { label: ink, box: paper, accent }) {
  const { x, y, size, whole = data.label ?? '' } = data;
  context.font = `600 ${labelSize}px ${labelFont}`;
  const width = context.measureText(whole).width;
  const left = x + size + width + 20 > context.canvas.clientWidth && x > context.canvas.clientWidth / 2;
  const height = Math.max(labelSize + 10, 2 * size + 6);
  context.beginPath();
  context.roundRect(
    left ? x - size - width - 14 : x - size - 3,
    y - height / 2,
    2 * size + width + 17,
    height,
    height / 2,
  );
  context.fillStyle = paper;
  context.shadowColor = 'rgba(0, 0, 0, 0.3)';
  context.shadowBlur = 8;
  context.fill();
  context.shadowBlur = 0;
  context.strokeStyle = accent;
  context.lineWidth = 1;
  context.stroke();
  context.fillStyle = ink;
  context.fillText(whole, left ? x - size - width - 5 : x + size + 5, y + labelSize / 3);
}
