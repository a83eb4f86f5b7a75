// The names in the small map beside a note: that of the note, and those of the notes around it that have a free side.
import { placedNames } from './freeSides.js';
import { brief } from './model.js';

/**
 * @import { Palette } from './colours.js'
 * @import { Box, Disc, Placed } from './freeSides.js'
 * @import { NoteGraph } from './model.js'
 * @import { Picture } from './picture.js'
 * @typedef {{ key: string, keys: Set<string>, covered: Box[] }} Near the open note, what is shown around it, and where
 *   the picture is covered
 */

const MOST_NAMES = 30; // which are tried
const MOST_NODES = 300; // which names do not cover
const SHORT = 18; // letters

/**
 * Return `find()`, to call when nodes have moved, `place()`, to call before each frame, `write(context, lit)`, and
 * `active()`, which returns whether the picture is a small map beside a note.
 * @param {Picture['renderer']} renderer
 * @param {() => Palette} colours
 * @param {(graph: NoteGraph) => Near | null} near
 */
export function nearNames(renderer, colours, near) {
  let shown = /** @type {Near | null} */ (null);
  let keys = /** @type {string[]} */ ([]); // the open note, then the others by weight
  let names = /** @type {Placed[]} */ ([]);
  const measure = /** @type {CanvasRenderingContext2D} */ (document.createElement('canvas').getContext('2d'));

  const graph = () => /** @type {NoteGraph} */ (renderer.getGraph());
  const fontOf = (/** @type {string} */ key) => {
    const { labelFont, labelSize } = renderer.getSettings();
    return `${key === shown?.key ? '600' : 'normal'} ${labelSize}px ${labelFont}`;
  };

  function find() {
    shown = near(graph());
    names = [];
    const weight = (/** @type {string} */ key) =>
      key === shown?.key ? Infinity : graph().getNodeAttribute(key, 'weight');
    keys = [...(shown?.keys ?? [])]
      .filter((key) => !renderer.getNodeDisplayData(key)?.hidden)
      .sort((one, other) => weight(other) - weight(one))
      .slice(0, MOST_NODES);
  }

  /** Return where a node is in the next frame. */
  function discOf(/** @type {string} */ key) {
    const data = /** @type {{ x: number, y: number, size: number }} */ (renderer.getNodeDisplayData(key));
    const cameraState = renderer.getCamera().getState();
    return {
      ...renderer.framedGraphToViewport(data, { cameraState }),
      size: renderer.scaleSize(data.size, cameraState.ratio),
    };
  }

  function place() {
    if (!shown || !keys.length) return;
    if (keys.some((key) => !renderer.getNodeDisplayData(key))) return; // a newer graph, which is about to be processed
    const { width, height } = renderer.getDimensions();
    const discs = new Map(keys.map((key) => [key, discOf(key)]));
    const open = discs.get(shown.key);
    const ends = open
      ? graph()
          .neighbors(shown.key)
          .map((key) => discs.get(key))
      : [];
    const named = keys.slice(0, MOST_NAMES).map((key) => {
      const text = graph().getNodeAttribute(key, 'label');
      return { .../** @type {Disc} */ (discs.get(key)), key, texts: [...new Set([text, brief(text, SHORT)])] };
    });
    names = placedNames(named, {
      width,
      height,
      line: renderer.getSetting('labelSize') + 3,
      measure: (text, key) => {
        measure.font = fontOf(key);
        return measure.measureText(text).width;
      },
      discs: [...discs.values()],
      lines: ends.flatMap((end) => (open && end ? [/** @type {[Disc, Disc]} */ ([open, end])] : [])),
      covered: shown.covered,
    });
  }

  /**
   * Write the names; while the mouse is over a node, only those in `lit` are not faint.
   * @param {CanvasRenderingContext2D} context
   * @param {Set<string> | null} lit
   */
  function write(context, lit) {
    const { label, halo } = colours();
    const { labelSize } = renderer.getSettings();
    context.save();
    Object.assign(context, { lineJoin: 'round', lineWidth: 3, strokeStyle: halo, fillStyle: label });
    for (const { key, text, left, bottom } of names) {
      context.font = fontOf(key);
      context.globalAlpha = !lit || lit.has(key) ? 1 : 0.28;
      context.strokeText(text, left, bottom - labelSize / 3);
      context.fillText(text, left, bottom - labelSize / 3);
    }
    context.restore();
  }

  return { find, place, write, active: () => shown !== null, shown: () => names.map(({ text }) => text) };
}
