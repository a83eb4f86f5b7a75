// What a replay shows at a time: hides what is not there, and draws over the picture what comes, goes or changes.
import { hueOf } from '../common/hue.js';
import { frameAt, isThereAt, movingAt } from './frames.js';
import { labelOf, stateAt } from './union.js';

/**
 * @import { Life, Script } from './frames.js'
 * @import { Node } from './model.js'
 * @import { Picture } from './picture.js'
 * @import { Union } from './union.js'
 * @typedef {ReturnType<typeof sceneOf>} ReplayScene
 */

const WIDE = 2.5; // pixels of a link that comes
const DASH = [3, 5]; // of a link that goes
const REACH = 20; // pixels that a ring grows
const MARK = 0.65; // the opacity of what is marked while nothing moves

const easeOut = (/** @type {number} */ part) => 1 - (1 - part) ** 3;
const springing = (/** @type {number} */ part) => 1 + 2.7 * (part - 1) ** 3 + 1.7 * (part - 1) ** 2; // a bit too far
const pulse = (/** @type {number} */ part) => Math.sin(Math.PI * part);

/**
 * Return the scene of a replay in a picture whose graph is that of the union.
 * @param {Picture} picture
 * @param {Script} script
 * @param {Union} union
 */
export function sceneOf(picture, script, union) {
  const { renderer } = picture;
  const { graph, keys, edges } = union;
  const count = script.frames.length;
  let moving = /** @type {[number, number][]} */ ([]); // frames, each with the part of its movement that is over
  let marked = /** @type {number[]} */ ([]); // frames whose changes are marked
  let state = stateAt(union, script, count);
  let coming = /** @type {Set<string>} */ (new Set()); // nodes and links that are drawn here until they are there
  let shown = '';

  const hides = (/** @type {string} */ key) => state.hidden.has(key) || coming.has(key);
  const hidesLink = (/** @type {string} */ edge) => state.hiddenLinks.has(edge) || coming.has(edge);

  /** Show the state after a frame while others move. */
  function set(/** @type {number} */ frame) {
    const next = [frame, ...moving.map(([at]) => at)].join();
    if (next !== shown) change(frame);
    else picture.drawScene();
    shown = next;
  }

  function change(/** @type {number} */ frame) {
    const every = [...keys, ...edges].filter((one) => one !== null);
    const isHidden = () => every.map((one, at) => (at < keys.length ? hides(one) : hidesLink(one)));
    const before = isHidden();
    const names = state.names;
    state = stateAt(union, script, frame);
    coming = comingNow();
    const renamed = new Set(keys.filter((key) => names.get(key) !== state.names.get(key)));
    for (const key of renamed) graph.getNodeAttributes(key).label = labelOf(state.names.get(key) ?? '');
    const after = isHidden();
    const nodes = keys.filter((key, at) => before[at] !== after[at] || renamed.has(key));
    const links = every.filter((_, at) => at >= keys.length && before[at] !== after[at]);
    picture.drawScene({ nodes, edges: [...new Set([...links, ...nodes.flatMap((key) => graph.edges(key))])] });
  }

  /** Return the nodes and links that come in the frames that move. */
  function comingNow() {
    const isComing = (/** @type {number} */ at) => (/** @type {Life} */ life) =>
      isThereAt(life, at) && !isThereAt(life, at - 1);
    const every = moving.flatMap(([at]) => {
      const { nodes, links } = script.frames[at - 1];
      const is = isComing(at);
      return [
        ...nodes.filter((node) => is(script.nodes[node])).map((node) => keys[node]),
        ...links.filter((link) => is(script.links[link])).map((link) => edges[link] ?? ''),
      ];
    });
    return new Set(every);
  }

  function draw(/** @type {CanvasRenderingContext2D} */ context) {
    for (const at of marked) drawMarks(context, at);
    for (const [at, part] of moving) for (const link of script.frames[at - 1].links) drawLink(context, at, link, part);
    for (const [at, part] of moving) for (const node of script.frames[at - 1].nodes) drawNode(context, at, node, part);
    context.globalAlpha = 1;
  }

  const colourOf = (/** @type {number} */ at) => {
    const { client, outside } = script.frames[at - 1].step;
    return `hsl(${hueOf(client || outside)} 60% 52%)`;
  };

  /** Return where a node is, how large and in which colour; null if the person hides it. */
  function placeOf(/** @type {string} */ key) {
    const data = /** @type {{ size: number, color: string, filtered?: boolean } | undefined} */ (
      renderer.getNodeDisplayData(key)
    );
    if (!data || data.filtered) return null;
    const point = renderer.graphToViewport(/** @type {Node} */ (graph.getNodeAttributes(key)));
    return { ...point, size: renderer.scaleSize(data.size), colour: data.color };
  }

  /**
   * @param {CanvasRenderingContext2D} context
   * @param {number} at
   * @param {number} link
   * @param {number} part
   */
  function drawLink(context, at, link, part) {
    const edge = edges[link];
    const [from, to] = edge === null ? [] : graph.extremities(edge).map(placeOf);
    if (!from || !to) return;
    const isComing = isThereAt(script.links[link], at);
    const reach = isComing ? easeOut(Math.min(1, part * 1.5)) : 1;
    context.globalAlpha = isComing ? Math.min(1, 2.6 * (1 - part)) : 0.8 * (1 - part);
    context.strokeStyle = colourOf(at);
    context.lineWidth = WIDE;
    context.setLineDash(isComing ? [] : DASH);
    context.beginPath();
    context.moveTo(from.x, from.y);
    context.lineTo(from.x + reach * (to.x - from.x), from.y + reach * (to.y - from.y));
    context.stroke();
    context.setLineDash([]);
  }

  /**
   * @param {CanvasRenderingContext2D} context
   * @param {number} at
   * @param {number} node
   * @param {number} part
   */
  function drawNode(context, at, node, part) {
    const place = placeOf(keys[node]);
    if (!place) return;
    const life = script.nodes[node];
    const [was, is] = [isThereAt(life, at - 1), isThereAt(life, at)];
    const scale = was && is ? 1 + 0.5 * pulse(part) : is ? springing(Math.min(1, part * 1.4)) : 1 - easeOut(part);
    drawDisc(context, place, scale * place.size, is ? 1 : 1 - part);
    context.globalAlpha = 1 - part;
    context.strokeStyle = colourOf(at);
    context.lineWidth = 3;
    drawRing(context, place, place.size + 3 + (is ? REACH * easeOut(part) : REACH * (1 - easeOut(part))));
  }

  /**
   * @param {CanvasRenderingContext2D} context
   * @param {{ x: number, y: number, colour: string }} place
   * @param {number} radius
   * @param {number} opacity
   */
  function drawDisc(context, { x, y, colour }, radius, opacity) {
    context.globalAlpha = opacity;
    context.fillStyle = colour;
    context.beginPath();
    context.arc(x, y, Math.max(0, radius), 0, 2 * Math.PI);
    context.fill();
  }

  /**
   * @param {CanvasRenderingContext2D} context
   * @param {{ x: number, y: number }} place
   * @param {number} radius
   */
  function drawRing(context, { x, y }, radius) {
    context.beginPath();
    context.arc(x, y, radius, 0, 2 * Math.PI);
    context.stroke();
  }

  /** Mark what a frame has changed: rings around notes, and links in the colour of the client. */
  function drawMarks(/** @type {CanvasRenderingContext2D} */ context, /** @type {number} */ at) {
    const { nodes, links } = script.frames[at - 1];
    context.globalAlpha = MARK;
    context.strokeStyle = colourOf(at);
    context.lineWidth = 1.5;
    for (const link of links) {
      const edge = edges[link];
      if (edge === null || state.hiddenLinks.has(edge)) continue;
      const [from, to] = graph.extremities(edge).map((key) => (state.hidden.has(key) ? null : placeOf(key)));
      if (!from || !to) continue;
      context.beginPath();
      context.moveTo(from.x, from.y);
      context.lineTo(to.x, to.y);
      context.stroke();
    }
    for (const node of nodes) {
      const place = state.hidden.has(keys[node]) ? null : placeOf(keys[node]);
      if (place) drawRing(context, place, place.size + 3.5);
    }
  }

  return {
    draw,
    hides,
    hidesLink,
    /** Return the nodes whose names are written: those that move, or are marked in the last frame. */
    named: () => {
      const frames = moving.length ? moving.map(([at]) => at) : marked.slice(-1);
      return frames.flatMap((at) => script.frames[at - 1].nodes.map((node) => keys[node]));
    },
    /** Show a time of the replay, in milliseconds. */
    at(/** @type {number} */ time) {
      [moving, marked] = [movingAt(time, count), []];
      set(frameAt(time, count));
    },
    /** Show the state after a frame; mark what this frame has changed or, with `isAll`, what all until then have. */
    rest(/** @type {number} */ frame, isAll = false) {
      const all = Array.from({ length: frame }, (_, at) => at + 1);
      [moving, marked] = [[], isAll ? all : all.slice(-1)];
      set(frame);
    },
  };
}
