// Chooses where the names of nodes are written: on a side that is free of other names, nodes and lines.

/**
 * @typedef {{ x: number, y: number }} Point
 * @typedef {Point & { size: number }} Disc
 * @typedef {{ left: number, right: number, top: number, bottom: number }} Box
 * @typedef {Disc & { key: string, texts: string[] }} Named a node, and its name in the forms that may be written, the
 *   best first
 * @typedef {Box & { key: string, text: string }} Placed
 * @typedef {ReturnType<typeof discGrid>} DiscGrid
 * @typedef {object} Surroundings
 * @property {number} width of the picture
 * @property {number} height of the picture
 * @property {number} line the height of a name
 * @property {(text: string, key: string) => number} measure the width of a node's name
 * @property {DiscGrid} discs all nodes
 * @property {[Point, Point][]} lines the links that no name may cover
 * @property {Box[]} covered what else lies on the picture
 * @property {number} [most] how many names are written at most
 * @property {number} [sure] how many of the first names are written even where they cover a few nodes
 * @property {boolean} [isFirstSure] whether the very first is written whatever it covers
 */

const GAP = 4; // between a node and its name
const EDGE = 3; // between a name and the edge of the picture
const [NAME, NODE] = [1e6, 1e3]; // how much a covered name counts, and a covered node
const MOST_COVERED = 3; // nodes
const MOST_COUNTED = 20; // nodes
const CELL = 40; // pixels: about the height of three names

/**
 * Return where names are written, the most important first. A name that has no free side is left out, unless it is one
 * of the first `sure` names: these are written where they cover least, but not over another name.
 * @param {Named[]} names
 * @param {Surroundings} around
 */
export function placedNames(names, around) {
  const { most = Infinity, sure = 0 } = around;
  /** @type {Placed[]} */
  const placed = [];
  for (const [at, node] of names.entries()) {
    if (placed.length >= most) break;
    const { key, texts } = node;
    const all = texts.flatMap((text) =>
      sides(node, around.measure(text, key), around).map((box) => ({ ...box, key, text })),
    );
    const free = all.find((box) => isFree(box, placed, around));
    if (free) placed.push(free);
    else if (at < sure) {
      const best = leastOf(all, (box) => coveredBy(box, placed, around));
      if (around.isFirstSure && at === 0) placed.push(best);
      else if (coveredBy(best, placed, around) < (MOST_COVERED + 1) * NODE) placed.push(best);
    }
  }
  return placed;
}

/**
 * Return whether a name would cover nothing.
 * @param {Box} box
 * @param {Box[]} placed
 * @param {Surroundings} around
 */
const isFree = (box, placed, around) =>
  isInside(box, around) &&
  !around.discs.some(box) &&
  !placed.some((other) => meet(box, other)) &&
  !around.covered.some((other) => meet(box, other)) &&
  !around.lines.some((line) => crosses(line, box));

/**
 * Return how much a name would cover: NAME or more if it covers another or is not within the picture. A line counts
 * least.
 * @param {Box} box
 * @param {Box[]} placed
 * @param {Surroundings} around
 */
function coveredBy(box, placed, around) {
  const others = [...placed, ...around.covered].filter((other) => meet(box, other)).length;
  const lines = around.lines.filter((line) => crosses(line, box)).length;
  return (
    1e3 * NAME * Number(!isInside(box, around)) + NAME * others + NODE * around.discs.count(box, MOST_COUNTED) + lines
  );
}

/**
 * Return the first of the values for which a measure is least.
 * @template T
 * @param {T[]} values
 * @param {(value: T) => number} measure
 */
export function leastOf(values, measure) {
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

/**
 * Return an index of the nodes in a picture by place, which finds the nodes on a box without a search of all nodes.
 * @param {Disc[]} discs
 * @param {{ width: number, height: number }} picture
 */
export function discGrid(discs, { width, height }) {
  const [columns, rows] = [Math.ceil(width / CELL) + 1, Math.ceil(height / CELL) + 1];
  /** @type {Disc[][]} */
  const cells = Array.from({ length: columns * rows }, () => []);
  const column = (/** @type {number} */ x) => Math.max(0, Math.min(columns - 1, Math.floor(x / CELL)));
  const row = (/** @type {number} */ y) => Math.max(0, Math.min(rows - 1, Math.floor(y / CELL)));
  for (const disc of discs) {
    const { x, y, size } = disc;
    const [left, right] = [column(x - size), column(x + size)];
    for (let at = row(y - size), last = row(y + size); at <= last; at += 1) {
      for (let cell = at * columns + left; cell <= at * columns + right; cell += 1) cells[cell].push(disc);
    }
  }

  /**
   * Call a function with each disc on a box, twice if the disc is in two cells, until it returns true.
   * @param {Box} box
   * @param {(disc: Disc) => boolean} found
   * @returns {boolean} whether it did
   */
  function search(box, found) {
    const [left, right] = [column(box.left), column(box.right)];
    for (let at = row(box.top), last = row(box.bottom); at <= last; at += 1) {
      for (let cell = at * columns + left; cell <= at * columns + right; cell += 1) {
        for (const disc of cells[cell]) if (isOn(disc, box) && found(disc)) return true;
      }
    }
    return false;
  }

  return {
    /** Return whether a node is on a box. */
    some: (/** @type {Box} */ box) => search(box, () => true),
    /** Return how many nodes are on a box, but no more than `most`. */
    count(/** @type {Box} */ box, most = Infinity) {
      const discsOn = new Set();
      search(box, (disc) => discsOn.add(disc).size >= most);
      return discsOn.size;
    },
  };
}

export const meet = (/** @type {Box} */ one, /** @type {Box} */ other) =>
  one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;

const isInside = (/** @type {Box} */ box, /** @type {Surroundings} */ { width, height }) =>
  box.left >= EDGE && box.right <= width - EDGE && box.top >= EDGE && box.bottom <= height - EDGE;

/** Return whether a node lies on a box. */
function isOn(/** @type {Disc} */ { x, y, size }, /** @type {Box} */ { left, right, top, bottom }) {
  const across = x - Math.max(left, Math.min(x, right));
  const along = y - Math.max(top, Math.min(y, bottom));
  return across * across + along * along < size * size;
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
