// The boxes with whole names: that of the node under the mouse, and that of the open note.

/**
 * @import { Palette } from './colours.js'
 * @import { Box } from './freeSides.js'
 * @import { NodeDisplayData, PartialButFor, Settings } from '../vendor/graph.js'
 * @typedef {PartialButFor<NodeDisplayData, 'x' | 'y' | 'size' | 'label' | 'color'>} Drawn
 * @typedef {Drawn & { key?: string, whole?: string }} Shown
 * @typedef {Pick<Settings, 'labelFont' | 'labelSize'>} Options
 * @typedef {{ x: number, y: number, size: number, label?: string | null, whole?: string }} Named
 */

const MOST_LINES = 8;

/**
 * Return a function that draws a box with the whole name at a lit node, if `isBoxed` returns true for it.
 * @param {() => Palette} colours
 * @param {(key?: string) => boolean} isBoxed
 */
export function hoverDrawer(colours, isBoxed) {
  /**
   * @param {CanvasRenderingContext2D} context
   * @param {Shown} data
   * @param {Options} settings
   */
  return (context, data, settings) => {
    if (isBoxed(data.key)) draw(context, data, settings, colours());
  };
}

/**
 * Return where the box of a node is.
 * @param {CanvasRenderingContext2D} context with which its name is measured
 * @param {Named} node
 * @param {{ width: number, height: number }} picture
 * @param {Options} settings
 * @returns {Box}
 */
export const boxArea = (context, node, picture, settings) => boxOf(context, node, picture, settings).area;

/**
 * Return where the box of a node is, and the lines of its name: several lines if the name is wider than the picture.
 * @param {CanvasRenderingContext2D} context
 * @param {Named} node
 * @param {{ width: number, height: number }} picture
 * @param {Options} settings
 */
function boxOf(context, { x, y, size, label, whole = label ?? '' }, picture, { labelFont, labelSize }) {
  context.font = `600 ${labelSize}px ${labelFont}`;
  const lines = linesOf(context, whole, Math.min(420, picture.width - 2 * size - 40));
  const width = Math.max(...lines.map((line) => context.measureText(line).width));
  const isRight = x + size + width + 20 <= picture.width || x <= picture.width / 2;
  const wanted = isRight ? x + size + 5 : x - size - width - 5;
  const start = Math.max(10, Math.min(wanted, picture.width - width - 12)); // of the text
  const height = Math.max(lines.length * (labelSize + 4) + 6, 2 * size + 6);
  const top = Math.max(2, Math.min(y - height / 2, picture.height - height - 2));
  const [left, right] = [Math.min(start - 9, x - size - 3), Math.max(start + width + 9, x + size + 3)];
  return { lines, start, area: { left, right, top, bottom: top + height } };
}

/**
 * Draw a box with a name beside its node.
 * @param {CanvasRenderingContext2D} context
 * @param {Shown} data
 * @param {Options} settings
 * @param {Palette} palette
 */
function draw(context, data, settings, { label: ink, box: paper, accent }) {
  const { clientWidth: width, clientHeight: height } = context.canvas;
  const { lines, start, area } = boxOf(context, data, { width, height }, settings);
  const { left, right, top, bottom } = area;
  context.beginPath();
  context.roundRect(left, top, right - left, bottom - top, Math.min((bottom - top) / 2, 16));
  context.fillStyle = paper;
  context.shadowColor = 'rgba(0, 0, 0, 0.3)';
  context.shadowBlur = 8;
  context.fill();
  context.shadowBlur = 0;
  context.strokeStyle = accent;
  context.lineWidth = 1;
  context.stroke();
  context.fillStyle = ink;
  const line = settings.labelSize + 4;
  const first = (top + bottom) / 2 - ((lines.length - 1) * line) / 2 + settings.labelSize / 3;
  lines.forEach((text, at) => context.fillText(text, start, first + at * line));
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
