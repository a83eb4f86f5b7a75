// Chooses where the names of a few nodes are written: on a side that is free of other names, nodes and lines.

/**
 * @typedef {{ x: number, y: number }} Point
 * @typedef {Point & { size: number }} Disc
 * @typedef {{ left: number, right: number, top: number, bottom: number }} Box
 * @typedef {Disc & { key: string, texts: string[] }} Named a node, and its name in the forms that may be written, the
 *   best first
 * @typedef {Box & { key: string, text: string }} Placed
 * @typedef {object} Surroundings
 * @property {number} width of the picture
 * @property {number} height of the picture
 * @property {number} line the height of a name
 * @property {(text: string, key: string) => number} measure the width of a node's name
 * @property {Disc[]} discs all nodes
 * @property {[Point, Point][]} lines the links that no name may cover
 * @property {Box[]} covered what else lies on the picture
 */

const GAP = 4; // between a node and its name
const EDGE = 3; // between a name and the edge of the picture

/**
 * Return where names are written. The first are the most important: a name that has no free side is left out, but the
 * very first is written where it covers least.
 * @param {Named[]} names
 * @param {Surroundings} around
 */
export function placedNames(names, around) {
  /** @type {Placed[]} */
  const placed = [];
  for (const node of names) {
    const { key, texts } = node;
    const all = texts.flatMap((text) =>
      sides(node, around.measure(text, key), around).map((box) => ({ ...box, key, text })),
    );
    const free = all.find((box) => coveredBy(box, placed, around) === 0);
    if (free) placed.push(free);
    else if (node === names[0]) placed.push(leastOf(all, (box) => coveredBy(box, [], around)));
  }
  return placed;
}

/**
 * Return how much a name would cover; 0 if it is on a free side. A line counts least.
 * @param {Box} box
 * @param {Box[]} placed
 * @param {Surroundings} around
 */
function coveredBy(box, placed, around) {
  const others = [...placed, ...around.covered].filter((other) => meet(box, other)).length;
  const nodes = around.discs.filter((disc) => isOn(disc, box)).length;
  const lines = around.lines.filter((line) => crosses(line, box)).length;
  return 1e9 * Number(!isInside(box, around)) + 1e6 * others + 1e3 * nodes + lines;
}

/**
 * Return the first of the values for which a measure is least.
 * @template T
 * @param {T[]} values
 * @param {(value: T) => number} measure
 */
function leastOf(values, measure) {
  const measured = values.map(measure);
  return values[measured.indexOf(Math.min(...measured))];
}

/**
 * Return the boxes beside a node, that on the outer side of the picture first.
 * @param {Disc} node
 * @param {number} width
 * @param {Surroundings} around
 * @returns {Box[]}
 */
function sides({ x, y, size }, width, { line, width: whole }) {
  const [away, aslant] = [size + GAP, 0.7 * size + GAP];
  const middle = y - line / 2;
  const [above, below] = [y - away - line, y + away];
  const outer = x >= whole / 2 ? 1 : -1;
  const beside = (/** @type {number} */ side, /** @type {number} */ gap) => (side > 0 ? x + gap : x - gap - width);
  const corners = [outer, -outer].flatMap((side) => [
    [beside(side, aslant), y + aslant - line / 2],
    [beside(side, aslant), y - aslant - line / 2],
  ]);
  const flat = [outer, -outer].map((side) => [beside(side, away), middle]);
  const centred = Math.max(EDGE, Math.min(x - width / 2, whole - EDGE - width)); // as far as the picture goes
  const upright = [below, above].map((top) => [centred, top]);
  return [...flat, ...upright, ...corners].map(([left, top]) => ({
    left,
    right: left + width,
    top,
    bottom: top + line,
  }));
}

const meet = (/** @type {Box} */ one, /** @type {Box} */ other) =>
  one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;

const isInside = (/** @type {Box} */ box, /** @type {Surroundings} */ { width, height }) =>
  box.left >= EDGE && box.right <= width - EDGE && box.top >= EDGE && box.bottom <= height - EDGE;

/** Return whether a node lies on a box. */
function isOn(/** @type {Disc} */ { x, y, size }, /** @type {Box} */ { left, right, top, bottom }) {
  const across = x - Math.max(left, Math.min(x, right));
  const along = y - Math.max(top, Math.min(y, bottom));
  return Math.hypot(across, along) < size;
}

/** Return whether a line crosses a box: some part of it is within the box in both directions. */
function crosses(/** @type {[Point, Point]} */ [from, to], /** @type {Box} */ { left, right, top, bottom }) {
  const [across, down] = [to.x - from.x, to.y - from.y];
  let [first, last] = [0, 1]; // the part of the line that is within
  for (const [start, step, least, most] of [
    [from.x, across, left, right],
    [from.y, down, top, bottom],
  ]) {
    if (step === 0 && (start < least || start > most)) return false;
    if (step === 0) continue;
    const [one, other] = [(least - start) / step, (most - start) / step];
    first = Math.max(first, Math.min(one, other));
    last = Math.min(last, Math.max(one, other));
  }
  return first < last;
}
