// How names are written into the picture.

/**
 * @import { Palette } from './colours.js'
 * @import { NodeDisplayData, PartialButFor, Settings } from '../vendor/graph.js'
 * @typedef {PartialButFor<NodeDisplayData, 'x' | 'y' | 'size' | 'label' | 'color'>} Drawn
 * @typedef {Drawn & { key?: string, whole?: string }} Shown
 * @typedef {Settings} Options
 * @typedef {{ left: number, right: number, y: number }} Area
 */

const MOST_LINES = 8;

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
    const width = context.measureText(data.label).width;
    const side = sideFor(context, data, width);
    const left = side === 'right' ? data.x + data.size + 3 : data.x - data.size - 4 - width;
    const area = { left, right: left + width, y: data.y };
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
 * Return where a name is: to the right of its node, or to the left where the picture ends.
 * @param {CanvasRenderingContext2D} context
 * @param {{ x: number, size: number }} data
 * @param {number} width
 */
const sideFor = ({ canvas: { clientWidth } }, { x, size }, width) =>
  x + size + width + 4 > clientWidth && x - size - width - 4 > 0 ? 'left' : 'right';

/**
 * Write a name beside its node.
 * @param {CanvasRenderingContext2D} context
 * @param {{ x: number, y: number, size: number }} data
 * @param {string} text
 * @param {Options} settings
 * @param {Palette} palette
 */
export function write(context, data, text, { labelFont, labelSize, labelWeight }, { label, halo }) {
  const { x, y, size } = data;
  context.font = `${labelWeight} ${labelSize}px ${labelFont}`;
  context.lineJoin = 'round';
  context.lineWidth = 3;
  context.strokeStyle = halo;
  context.fillStyle = label;
  const width = context.measureText(text).width;
  const left = sideFor(context, data, width) === 'right' ? x + size + 4 : x - size - 4 - width;
  context.strokeText(text, left, y + labelSize / 3);
  context.fillText(text, left, y + labelSize / 3);
}

/**
 * Draw a box with a name beside its node. A name that is wider than the picture has several lines.
 * @param {CanvasRenderingContext2D} context
 * @param {Shown} data
 * @param {Options} settings
 * @param {Palette} palette
 */
function box(context, data, { labelFont, labelSize }, { label: ink, box: paper, accent }) {
  const { x, y, size, whole = data.label ?? '' } = data;
  const { clientWidth, clientHeight } = context.canvas;
  context.font = `600 ${labelSize}px ${labelFont}`;
  const lines = linesOf(context, whole, Math.min(420, clientWidth - 2 * size - 40));
  const width = Math.max(...lines.map((line) => context.measureText(line).width));
  const right = x + size + width + 20 <= clientWidth || x <= clientWidth / 2;
  const wanted = right ? x + size + 5 : x - size - width - 5;
  const left = Math.max(10, Math.min(wanted, clientWidth - width - 12));
  const [line, height] = [labelSize + 4, Math.max(lines.length * (labelSize + 4) + 6, 2 * size + 6)];
  const top = Math.max(2, Math.min(y - height / 2, clientHeight - height - 2));
  const from = Math.min(left - 9, x - size - 3);
  context.beginPath();
  context.roundRect(from, top, Math.max(left + width + 9, x + size + 3) - from, height, Math.min(height / 2, 16));
  context.fillStyle = paper;
  context.shadowColor = 'rgba(0, 0, 0, 0.3)';
  context.shadowBlur = 8;
  context.fill();
  context.shadowBlur = 0;
  context.strokeStyle = accent;
  context.lineWidth = 1;
  context.stroke();
  context.fillStyle = ink;
  const first = top + height / 2 - ((lines.length - 1) * line) / 2 + labelSize / 3;
  lines.forEach((text, at) => context.fillText(text, left, first + at * line));
}

/**
 * Return a text in lines of at most this width.
 * @param {CanvasRenderingContext2D} context
 * @param {string} text
 * @param {number} width
 */
function linesOf(context, text, width) {
  const lines = [''];
  for (const part of text.split(/(?<=[ /_-])/).flatMap((word) => (word.length > 30 ? [...word] : word))) {
    const longer = lines[lines.length - 1] + part;
    if (context.measureText(longer).width <= width || !lines[lines.length - 1]) lines[lines.length - 1] = longer;
    else lines.push(part);
  }
  return lines.slice(0, MOST_LINES);
}
