// What a client has just changed, drawn over the picture: a ring around a changed note, in the client's hue; a new note
// grows from the note that links to it, together with that link; its name is written for ten seconds, before those of
// heavier notes. While a note grows, sigma hides it, so that it need not draw all nodes in each frame.
import { hueOf } from '../common/hue.js';
import { repaint, still } from './view.js';

/**
 * @import { Palette } from './colours.js'
 * @import { Node, NoteGraph } from './model.js'
 * @import { Sigma } from '../vendor/graph.js'
 * @typedef {{ x: number, y: number }} Point
 * @typedef {{ began: number, colour: string }} Ring
 * @typedef {{ began: number, colour: string, parent: string | null }} Growing `parent` is the note that it grows from
 */

const RING_MS = 1800;
const GROW_MS = 1200;
const NAME_MS = 10_000;
const FADE_MS = 600; // at the end of a name
const MOST_GROWING = 40; // at once; further new notes appear at their full size
const MANY = 2000; // nodes beyond which sigma does not compute again where they are

/**
 * Keep what has just changed; `redraw` draws again the layer that shows it, and `onGrown` is called when sigma shows
 * notes that have grown.
 * @param {Sigma} renderer
 * @param {{ colours: () => Palette, redraw: () => void, onGrown: () => void }} calls
 */
export function recentChanges(renderer, { colours, redraw, onGrown }) {
  /** @type {Map<string, Ring>} */
  const rings = new Map();
  /** @type {Map<string, Growing>} */
  const growing = new Map();
  /** @type {Map<string, number>} */
  const named = new Map(); // when the name began to be written
  let frame = 0;
  let timer = 0;

  const graph = () => /** @type {NoteGraph} */ (renderer.getGraph());
  const at = (/** @type {string} */ key) =>
    renderer.graphToViewport(/** @type {Node} */ (graph().getNodeAttributes(key)));

  function draw(/** @type {CanvasRenderingContext2D} */ context) {
    const now = performance.now();
    for (const [key, note] of growing) drawGrowing(context, key, note, (now - note.began) / GROW_MS);
    for (const [key, ring] of rings) drawRing(context, key, ring, (now - ring.began) / RING_MS);
    context.globalAlpha = 1;
  }

  /** Return where a node is drawn, and how large; null if it is filtered out or gone. */
  function shown(/** @type {string} */ key) {
    const data = graph().hasNode(key) ? renderer.getNodeDisplayData(key) : undefined;
    if (!data || /** @type {{ filtered?: boolean }} */ (data).filtered) return null;
    return { ...at(key), size: renderer.scaleSize(data.size) };
  }

  /**
   * @param {CanvasRenderingContext2D} context
   * @param {string} key
   * @param {Growing} note
   * @param {number} part
   */
  function drawGrowing(context, key, { colour, parent }, part) {
    const place = shown(key);
    if (!place || part < 0 || part >= 1) return;
    const from = parent === null ? null : shown(parent);
    const eased = 1 - (1 - part) ** 3;
    const grown = still() ? 1 : eased;
    const tip = from && { x: from.x + grown * (place.x - from.x), y: from.y + grown * (place.y - from.y) };
    context.globalAlpha = still() ? eased : 1;
    context.strokeStyle = context.fillStyle = colour;
    if (from && tip) {
      context.lineWidth = 2;
      context.beginPath();
      context.moveTo(from.x, from.y);
      context.lineTo(tip.x, tip.y);
      context.stroke();
    }
    const { x, y } = tip ?? place;
    context.beginPath();
    context.arc(x, y, Math.max(1, grown * place.size), 0, 2 * Math.PI);
    context.fill();
  }

  /**
   * @param {CanvasRenderingContext2D} context
   * @param {string} key
   * @param {Ring} ring
   * @param {number} part
   */
  function drawRing(context, key, { colour }, part) {
    const place = shown(key);
    if (!place || part >= 1) return;
    const eased = still() ? 0.4 : 1 - (1 - part) ** 3;
    context.globalAlpha = 1 - part;
    context.strokeStyle = colour;
    context.lineWidth = 3;
    context.beginPath();
    context.arc(place.x, place.y, place.size + 3 + 26 * eased, 0, 2 * Math.PI);
    context.stroke();
  }

  /** Forget what is over; draw the next frame soon, or when a name begins to fade. */
  function animate() {
    frame = 0;
    const now = performance.now();
    const grown = [...growing].filter(([, { began }]) => now - began >= GROW_MS).map(([key]) => key);
    for (const key of grown) growing.delete(key);
    for (const [key, { began }] of rings) if (now - began >= RING_MS) rings.delete(key);
    for (const [key, began] of named) if (now - began >= NAME_MS) named.delete(key);
    if (grown.length) update(grown);
    redraw();
    clearTimeout(timer);
    if (rings.size || growing.size) frame = requestAnimationFrame(animate);
    else if (named.size) {
      const fades = Math.min(...named.values()) + NAME_MS - FADE_MS - now;
      if (fades <= 0) frame = requestAnimationFrame(animate);
      else timer = setTimeout(animate, fades);
    }
  }

  /** Let sigma show nodes that have grown. */
  function update(/** @type {string[]} */ keys) {
    const nodes = keys.filter((key) => graph().hasNode(key));
    const edges = nodes.flatMap((key) => graph().edges(key));
    repaint(renderer, { nodes, edges }, graph().order <= MANY);
    onGrown();
  }

  return {
    draw,
    /** Return whether a node grows, so that sigma does not draw it yet. */
    isGrowing: (/** @type {string} */ key) => growing.has(key),
    /** Let these nodes grow as soon as `mark` is called. Call this before sigma gets the graph that has them. */
    grow(
      /** @type {NoteGraph} */ next,
      /** @type {string[]} */ keys,
      /** @type {(key: string) => string | null} */ by,
    ) {
      const isNew = new Set(keys);
      for (const key of keys.slice(0, MOST_GROWING - growing.size)) {
        const near = [...next.inNeighbors(key), ...next.outNeighbors(key)].filter((other) => other !== key);
        const parent = near.find((other) => !isNew.has(other)) ?? near[0] ?? null;
        growing.set(key, { began: Infinity, colour: colourOf(by(key)), parent });
      }
    },
    /** Draw a ring around these nodes, and begin to let the new ones grow. */
    mark(/** @type {string[]} */ keys, /** @type {(key: string) => string | null} */ by) {
      const now = performance.now(); // a large graph has taken a while until here
      for (const [key, note] of growing) {
        if (note.began < Infinity) continue;
        note.began = now;
        named.set(key, now);
      }
      for (const key of keys) if (!growing.has(key)) rings.set(key, { began: now, colour: colourOf(by(key)) });
      if (!frame && (rings.size || growing.size)) frame = requestAnimationFrame(animate);
    },
    /** Return the nodes whose names are written because they are new. */
    named: () => [...named.keys()],
    /** Return the opacity of the name of a new node: 1, and then down to 0 while the name fades. */
    strength: (/** @type {string} */ key) =>
      Math.max(0, Math.min(1, ((named.get(key) ?? 0) + NAME_MS - performance.now()) / FADE_MS)),
  };

  function colourOf(/** @type {string | null} */ client) {
    return client ? `hsl(${hueOf(client)} 55% 50%)` : colours().accent;
  }
}
