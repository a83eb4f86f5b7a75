// The names of notes in the picture: beside a note, that of the note and those around it; in the map, the heaviest.
import { boxArea } from './boxes.js';
import { discGrid, meet, placedNames } from './freeSides.js';
import { brief } from './model.js';
import { inOneColumn } from './view.js';

/**
 * @import { Palette } from './colours.js'
 * @import { Box, Disc, DiscGrid, Placed } from './freeSides.js'
 * @import { Node, NoteGraph } from './model.js'
 * @import { Picture } from './picture.js'
 * @typedef {{ key: string, keys: Set<string>, covered: Box[] }} Near the open note, what is shown around it, and where
 *   the picture is covered
 * @typedef {Disc & { key: string, inside: boolean }} Seen a node in this frame, and whether its middle is in it
 * @typedef {Placed & { isExtra: boolean }} Name `isExtra`: whether it is written only because it is among the first
 * @typedef {object} Wanted
 * @property {number} level how many names are written, from 0 to 3
 * @property {Set<string>} first the nodes whose names come before those of heavier ones
 * @property {Set<string>} boxed the nodes whose names are in boxes, which are drawn elsewhere
 * @property {Set<string>} titles the notes after which regions are called
 * @property {(discs: DiscGrid, covered: Box[]) => (Box & { name: string })[]} regions places the names of other
 *   regions; a note of the same name needs none
 */

const LEVELS = [
  { share: 0, from: Infinity },
  { share: 0.25, from: 7 },
  { share: 0.7, from: 4 },
  { share: 2.5, from: 0 },
]; // names in a square of CELL, and the least radius of a node that is named
const CELL = 90; // pixels
const TRIES = 4; // notes for each name: most of them have no free side in a dense picture
const MOST_NEAR = 30; // notes in the small map whose names are tried
const SURE = 1 / 8; // of the names: those of the heaviest notes, which may cover a few lighter ones
const SHORT = 18; // letters
const POINT = 3; // pixels: a name that covers a node of a smaller radius can still be read
const MOST_WIDTHS = 5000; // texts whose widths are kept

/**
 * Return `find()`, to call when nodes have moved, `look()`, to call in each frame, and then `place(wanted)` and
 * `write(context, strength)`. `beside()` returns whether the picture is a small map beside a note.
 * @param {Picture['renderer']} renderer
 * @param {() => Palette} colours
 * @param {(graph: NoteGraph) => Near | null} near
 */
export function noteNames(renderer, colours, near) {
  let shown = /** @type {Near | null} */ (null);
  let keys = /** @type {string[]} */ ([]); // the open note, then the others by their size
  let nodes = /** @type {{ key: string, x: number, y: number, size: number }[]} */ ([]); // in the order of the keys
  let seen = /** @type {Seen[]} */ ([]); // the nodes in this frame
  let discs = discGrid([], { width: 0, height: 0 });
  let called = /** @type {Set<string>} */ (new Set()); // the notes after which regions are called
  let names = /** @type {Name[]} */ ([]);
  const measure = /** @type {CanvasRenderingContext2D} */ (document.createElement('canvas').getContext('2d'));
  const widths = { plain: new Map(), bold: new Map() }; // of texts

  const graph = () => /** @type {NoteGraph} */ (renderer.getGraph());
  const nodeOf = (/** @type {string} */ key) => /** @type {Node} */ (graph().getNodeAttributes(key));
  const fontOf = (/** @type {string} */ key) => (key === shown?.key || called.has(key) ? fonts.bold : fonts.plain);

  const [family, labelSize] = [renderer.getSetting('labelFont'), renderer.getSetting('labelSize')];
  const fonts = { plain: `normal ${labelSize}px ${family}`, bold: `650 ${labelSize}px ${family}` };

  function find() {
    shown = near(graph());
    const all = [...new Set([...keys, ...graph().nodes()])]; // nearly sorted, unless this is another graph
    const dataOf = (/** @type {string} */ key) => renderer.getNodeDisplayData(key);
    const rank = (/** @type {string} */ key) => (key === shown?.key ? Infinity : (dataOf(key)?.size ?? 0));
    keys = all.filter((key) => graph().hasNode(key) && dataOf(key)?.hidden === false);
    keys.sort((one, other) => rank(other) - rank(one) || nodeOf(other).weight - nodeOf(one).weight);
    nodes = keys.map((key) => {
      const { x = 0, y = 0, size = 0 } = dataOf(key) ?? {};
      return { key, x, y, size };
    });
  }

  /** Find which nodes are in this frame, and where. */
  function look() {
    const { width, height } = renderer.getDimensions();
    const at = (/** @type {number} */ x, /** @type {number} */ y) => renderer.framedGraphToViewport({ x, y });
    const [origin, right, up, scale] = [at(0, 0), at(1, 0), at(0, 1), renderer.scaleSize(1)];
    seen = [];
    for (const node of nodes) {
      const x = origin.x + node.x * (right.x - origin.x) + node.y * (up.x - origin.x);
      const y = origin.y + node.x * (right.y - origin.y) + node.y * (up.y - origin.y);
      const size = scale * node.size;
      if (x < -size || x > width + size || y < -size || y > height + size) continue;
      seen.push({ key: node.key, x, y, size, inside: x > 0 && x < width && y > 0 && y < height });
    }
    discs = discGrid(
      seen.filter(({ size }) => shown || size >= POINT),
      { width, height },
    );
  }

  function place(/** @type {Wanted} */ { level, first, boxed, titles, regions }) {
    called = titles;
    const boxes = seen
      .filter(({ key }) => boxed.has(key))
      .map((node) =>
        boxArea(measure, { ...node, ...wholeOf(node.key) }, renderer.getDimensions(), { labelFont: family, labelSize }),
      );
    const { usual, covered } = usualNames(level, boxed, regions);
    const kept = usual.filter((name) => first.has(name.key) && !boxes.some((box) => meet(box, name)));
    const isKept = new Set(kept.map(({ key }) => key));
    const own = seen.filter(({ key, inside }) => inside && first.has(key) && !boxed.has(key) && !isKept.has(key));
    const more = placed(own, [...covered, ...boxes, ...kept], own.length);
    const before = [...boxes, ...more];
    const others = usual.filter((name) => !first.has(name.key) && !before.some((box) => meet(box, name)));
    names = [
      ...[...kept, ...others].map((name) => ({ ...name, isExtra: false })),
      ...more.map((name) => ({ ...name, isExtra: true })),
    ];
  }

  /**
   * Place the names that are written while no node is lit: those of the heaviest notes, then those of regions, then
   * those of other notes.
   * @param {number} level
   * @param {Set<string>} boxed
   * @param {Wanted['regions']} regions
   */
  function usualNames(level, boxed, regions) {
    const { width, height } = renderer.getDimensions();
    const { share, from } = LEVELS[level];
    const most = shown ? MOST_NEAR : Math.ceil((share * width * height) / CELL ** 2);
    const least = shown ? 0 : from;
    const tried = [];
    for (const node of seen) {
      if (tried.length >= (shown ? 1 : TRIES) * most || node.size < least) break;
      if (node.inside && !boxed.has(node.key)) tried.push(node);
    }
    if (shown) return { usual: placed(tried, shown.covered, most, 1), covered: shown.covered };
    const isSure = (/** @type {Seen} */ { key }, /** @type {number} */ at) => at < SURE * most || called.has(key);
    const [sure, others] = [tried.filter(isSure), tried.filter((node, at) => !isSure(node, at) && at < most / 4)];
    const heavy = [...sure, ...others];
    const begun = placed(heavy, [], most, sure.length);
    const areas = regions(discs, begun);
    const [written, isHeavy] = [new Set(areas.map(({ name }) => name)), new Set(heavy)];
    const light = tried.filter((node) => !isHeavy.has(node) && !written.has(nodeOf(node.key).label));
    return { usual: [...begun, ...placed(light, [...areas, ...begun], most - begun.length)], covered: areas };
  }

  const wholeOf = (/** @type {string} */ key) =>
    /** @type {{ whole?: string, label?: string }} */ (renderer.getNodeDisplayData(key) ?? {});

  /**
   * Return where the names of nodes are written, the first of which are the most important.
   * @param {Seen[]} wanted
   * @param {Box[]} covered
   * @param {number} most
   * @param {number} sure how many of the first names are written even where they cover a few nodes
   */
  function placed(wanted, covered, most, sure = 0) {
    const open = shown && seen.find(({ key }) => key === shown?.key);
    const isSmall = shown !== null || inOneColumn();
    const places = new Map(open ? seen.map((node) => [node.key, node]) : []);
    const ends =
      shown && open
        ? graph()
            .neighbors(shown.key)
            .map((key) => places.get(key))
        : [];
    const named = wanted.map(({ key, x, y, size }) => {
      const { label } = nodeOf(key);
      return { key, x, y, size, texts: isSmall ? [...new Set([label, brief(label, SHORT)])] : [label] };
    });
    return placedNames(named, {
      ...renderer.getDimensions(),
      line: labelSize + 3,
      measure: widthOf,
      discs,
      sure,
      isFirstSure: shown !== null && wanted[0]?.key === shown.key,
      lines: ends.flatMap((end) => (open && end ? [/** @type {[Disc, Disc]} */ ([open, end])] : [])),
      covered,
      most,
    });
  }

  function widthOf(/** @type {string} */ text, /** @type {string} */ key) {
    const font = fontOf(key);
    const own = font === fonts.bold ? widths.bold : widths.plain;
    const known = own.get(text);
    if (known !== undefined) return known;
    if (own.size >= MOST_WIDTHS) own.clear();
    measure.font = font;
    const { width } = measure.measureText(text);
    own.set(text, width);
    return width;
  }

  /**
   * Write the names; `strength` returns the opacity of a name, from 0 to 1.
   * @param {CanvasRenderingContext2D} context
   * @param {(name: Name) => number} strength
   */
  function write(context, strength) {
    const { label, halo } = colours();
    context.save();
    Object.assign(context, { lineJoin: 'round', lineWidth: 3, strokeStyle: halo, fillStyle: label });
    for (const name of names) {
      const { key, text, left, bottom } = name;
      context.font = fontOf(key);
      context.globalAlpha = strength(name);
      context.strokeText(text, left, bottom - labelSize / 3);
      context.fillText(text, left, bottom - labelSize / 3);
    }
    context.restore();
  }

  return {
    find,
    look,
    place,
    write,
    beside: () => shown !== null,
    placed: () => names,
  };
}
