// The picture of the graph: sigma, how it shows each node, and what the mouse does.
import { EdgeRectangleProgram, Sigma } from '../vendor/graph.js';
import { DiscProgram } from './discs.js';
import { dragging, lookOnlyWhenFree } from './drag.js';
import { hoverDrawer } from './boxes.js';
import { FewLinks } from './links.js';
import { isMissing, nameOf } from './model.js';
import { noteNames } from './noteNames.js';
import { overlay } from './overlay.js';
import { regionNames } from './regionNames.js';
import { byFinger, repaint, still } from './view.js';

/**
 * @import { CameraState } from '../vendor/graph.js'
 * @import { Palette } from './colours.js'
 * @import { Node, NoteGraph } from './model.js'
 * @import { Near } from './noteNames.js'
 * @import { Look } from './style.js'
 * @typedef {ReturnType<typeof createPicture>} Picture
 * @typedef {object} Scene what a replay shows over the graph
 * @property {(key: string) => boolean} hides whether it hides a node
 * @property {(edge: string) => boolean} hidesLink
 * @property {(context: CanvasRenderingContext2D) => void} draw draws what moves
 * @property {() => string[]} named returns the nodes whose names are written
 * @typedef {object} Options
 * @property {Look} look how a node is drawn
 * @property {() => Palette} colours the colours of the theme
 * @property {(graph: NoteGraph) => Near | null} near what a small map beside a note shows; null if the picture is none
 * @property {number} level how many names are written
 * @property {(name: string) => void} onOpen called for a click
 * @property {(key: string, held: boolean) => void} onDrag called while a node is moved by hand
 */

const MANY_LINKS = 3000; // beyond these links are thin lines, which cost a graphics card a quarter
const FEW_LIT = 30; // neighbours whose names are all written
const FINGER = 22; // pixels from the middle of a finger to the node that it means
const SLOW_MS = 50; // a frame; where several in a row take longer, links are left out while the picture moves
const SLOW_FRAMES = 6;
const FAINT = 0.28; // the opacity of names while other nodes are lit

/**
 * Show a graph in an element.
 * @param {NoteGraph} graph
 * @param {HTMLElement} element
 * @param {Options} options
 */
export function createPicture(graph, element, { look, colours, near, level: first, onOpen, onDrag }) {
  let hovered = /** @type {string | null} */ (null);
  let selected = /** @type {string | null} */ (null);
  let traced = /** @type {string[]} */ ([]); // the nodes of a path
  /** @type {Set<string>} */
  let lit = new Set(); // drawn on top: the selected node, the hovered one and its neighbours

  let scene = /** @type {Scene | null} */ (null);
  let isGrowing = /** @type {(key: string) => boolean} */ (() => false);
  let isBeside = () => false;
  let level = first;

  const isBoxed = (/** @type {string | undefined} */ key) =>
    key !== undefined && (key === hovered || (key === selected && !isBeside()));
  const renderer = new Sigma(graph, element, {
    allowInvalidContainer: true, // the graph may be the hidden tab
    nodeProgramClasses: { disc: DiscProgram },
    edgeProgramClasses: { line: FewLinks, band: EdgeRectangleProgram },
    defaultNodeType: 'disc',
    defaultEdgeType: graph.size > MANY_LINKS ? 'line' : 'band',
    defaultEdgeColor: colours().edge,
    labelFont: 'system-ui, sans-serif',
    labelSize: byFinger() ? 14 : 12,
    renderLabels: false, // they are written in a layer above
    minCameraRatio: 0.01,
    maxCameraRatio: 3,
    stagePadding: paddingFor(graph, element),
    zIndex: false,
    defaultDrawNodeHover: hoverDrawer(colours, isBoxed),
    nodeReducer: (key, data) => {
      const { colour, hidden, size } = look(key, /** @type {Node} */ (data));
      const grows = isGrowing(key);
      Object.assign(data, {
        color: colour,
        size,
        filtered: hidden,
        hidden: hidden || grows || Boolean(scene?.hides(key)),
        highlighted: lit.has(key),
        whole: nameOf(key),
      });
      if (isMissing(key)) Object.assign(data, { inside: colours().halo, whole: `${nameOf(key)} (missing)` });
      return data;
    },
    edgeReducer: (edge, data) => {
      data.size = 0.8;
      data.hidden = Boolean(scene?.hidesLink(edge));
      return data;
    },
  });
  lookOnlyWhenFree(renderer);
  const regions = regionNames(renderer, colours);
  const names = noteNames(renderer, colours, near);
  isBeside = names.beside;
  renderer.on('afterProcess', () => {
    names.find();
    if (!isBeside()) regions.find();
  });

  /** Write the names of regions and of notes into this frame. */
  function write(/** @type {CanvasRenderingContext2D} */ context) {
    names.look();
    const fewLit = lit.size <= FEW_LIT ? lit : [];
    const recent = scene ? scene.named() : layer.recent.named();
    names.place({
      level,
      first: new Set([...fewLit, ...recent]),
      boxed: new Set([...lit].filter(isBoxed)),
      titles: regions.look(level > 0 && !isBeside()),
      regions: regions.place,
    });
    if (!isBeside()) regions.write(context, hovered !== null);
    names.write(context, ({ key, isExtra }) => {
      if (lit.has(key) || (!hovered && !isExtra)) return 1;
      return isExtra ? (scene ? 1 : layer.recent.strength(key)) : FAINT;
    });
  }

  const moving = () => renderer.getCamera().isAnimated() || renderer.getMouseCaptor().draggedEvents > 0;
  renderer.on(
    'afterRender',
    whenSlow(moving, () => renderer.setSetting('hideEdgesOnMove', true)),
  );
  const resized = () => {
    setPadding(/** @type {NoteGraph} */ (renderer.getGraph()));
    renderer.refresh({ partialGraph: {}, schedule: true });
  };
  new ResizeObserver(resized).observe(element); // also when its tab is shown
  const layer = overlay(renderer, {
    lit: () => [...new Set([selected, hovered])].filter((key) => key !== null),
    colours,
    traced: () => traced,
    write,
    onGrown: names.find,
    more: (context) => scene?.draw(context),
  });

  isGrowing = layer.recent.isGrowing;

  /** Draw what is lit again, and nothing else. */
  function light() {
    const live = renderer.getGraph();
    const now = new Set(
      [selected, hovered, ...traced].filter((key) => key !== null).filter((key) => live.hasNode(key)),
    );
    if (hovered && live.hasNode(hovered)) live.forEachNeighbor(hovered, (other) => now.add(other));
    const touched = [...new Set([...lit, ...now])].filter((key) => live.hasNode(key));
    lit = now;
    element.classList.toggle('pointing', hovered !== null);
    repaint(renderer, { nodes: touched });
  }

  const hover = (/** @type {string | null} */ key) => {
    if (hovered === key) return;
    hovered = key;
    light();
  };
  renderer.on('enterNode', ({ node }) => hover(node));
  renderer.on('leaveNode', () => hover(null));
  renderer.on('leaveStage', () => hover(null));
  const wasMove = dragging(renderer, onDrag);
  const onClick = (/** @type {{ node: string }} */ { node }) => {
    if (!wasMove()) onOpen(nameOf(node));
  };
  renderer.on('clickNode', onClick);
  renderer.on('clickStage', ({ event }) => {
    if (!('touches' in event.original)) return;
    const node = nodeNear(renderer, event, FINGER);
    if (node !== null) onOpen(nameOf(node));
  });
  renderer.on('doubleClickNode', (event) => {
    event.preventSigmaDefault(); // which is to zoom
    onClick(event);
  });

  return {
    renderer,
    /** Return the names of regions that are written, and where. */
    regions: regions.shown,
    /** Return the names of notes that are written, and where. */
    names: names.placed,
    recent: layer.recent,
    /** Mark a node; null for none. */
    select(/** @type {string | null} */ key) {
      selected = key;
      light();
    },
    /**
     * Show new positions; the promise resolves when they are seen.
     * @returns {Promise<void>}
     */
    moved: () =>
      new Promise((seen) => {
        renderer.once('afterRender', () => seen());
        renderer.refresh({ partialGraph: {}, skipIndexation: false, schedule: true });
      }),
    /** Show a scene of a replay over the graph; null for none. */
    play(/** @type {Scene | null} */ next) {
      if (next) renderer.refresh(); // the box of the newest positions, which may wait to be drawn
      scene = next;
      renderer.setCustomBBox(next && renderer.getBBox()); // what is gone must not move the rest
    },
    /** Draw again what moves and, if they have changed in the scene, nodes and links. */
    drawScene(/** @type {{ nodes: string[], edges: string[] } | undefined} */ changed = undefined) {
      if (!changed) return layer.draw();
      repaint(renderer, changed);
      renderer.once('beforeRender', names.find);
    },
    /** Mark the path along these nodes. */
    trace(/** @type {string[]} */ keys) {
      traced = keys;
      light();
    },
    /** Draw again after the theme or the choices changed. */
    restyle() {
      const { edge } = colours();
      if (renderer.getSetting('defaultEdgeColor') !== edge) renderer.setSetting('defaultEdgeColor', edge);
      else renderer.refresh({ partialGraph: { nodes: renderer.getGraph().nodes() }, schedule: true }); // links are many
    },
    /** Set how many names are written, from 0 to 3. */
    label(/** @type {number} */ next) {
      level = next;
      layer.draw();
    },
    replace(/** @type {NoteGraph} */ next) {
      if (hovered && !next.hasNode(hovered)) hovered = null;
      lit = new Set([...lit].filter((key) => next.hasNode(key)));
      renderer.setGraph(next);
      setPadding(next);
      light();
    },
    /** Move the camera so that these nodes fill the picture; for one node, so that about twelve are seen. */
    fit(
      /** @type {string[]} */ keys,
      closest = Math.min(0.5, Math.max(0.05, Math.sqrt(12 / renderer.getGraph().order))),
      /** @type {{ x: number, y: number } | undefined} */ margins = undefined,
    ) {
      const places = keys.map((key) => renderer.getNodeDisplayData(key)).filter((data) => data !== undefined);
      if (!places.length) return;
      const [xs, ys] = [places.map(({ x }) => x), places.map(({ y }) => y)];
      const [left, right, low, high] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
      const shares = margins ? sharesWithin(margins) : { x: 1.25, y: 1.25 };
      const ratio = Math.min(1, Math.max(closest, shares.x * (right - left), shares.y * (high - low)));
      go({ x: (left + right) / 2, y: (low + high) / 2, ratio });
    },
    go,
  };

  function setPadding(/** @type {NoteGraph} */ shown) {
    const padding = paddingFor(shown, element);
    if (renderer.getSetting('stagePadding') !== padding) renderer.setSetting('stagePadding', padding);
  }

  /** Return the ratios of the camera at which a unit of width, and one of height, fill the picture without margins. */
  function sharesWithin(/** @type {{ x: number, y: number }} */ margins) {
    const { width, height } = renderer.getDimensions();
    const cameraState = { x: 0.5, y: 0.5, angle: 0, ratio: 1 };
    const [from, to] = [0, 1].map((x) => renderer.framedGraphToViewport({ x, y: 0 }, { cameraState }));
    const [across, along] = [width - 2 * margins.x, height - 2 * margins.y].map((room) => Math.max(room, 20));
    return { x: (to.x - from.x) / across, y: (to.x - from.x) / along };
  }

  function go(/** @type {Partial<CameraState>} */ state) {
    const camera = renderer.getCamera();
    if (still()) camera.setState(state);
    else camera.animate(state, { duration: 450 });
  }
}

/** Return the pixels around the graph: many around few nodes, so that these are not in the corners. */
const paddingFor = (/** @type {NoteGraph} */ { order }, /** @type {HTMLElement} */ { clientWidth, clientHeight }) =>
  Math.max(40, Math.min(260 - 12 * order, 0.3 * clientWidth, 0.3 * clientHeight));

/**
 * Return a function to call at each frame. It calls `act` once, when several frames in a row of a movement took long.
 * @param {() => boolean} moving
 * @param {() => void} act
 */
function whenSlow(moving, act) {
  let last = 0;
  let slow = 0;
  return () => {
    const took = performance.now() - last;
    last += took;
    if (slow === SLOW_FRAMES) return;
    slow = moving() && took > SLOW_MS ? slow + 1 : 0;
    if (slow === SLOW_FRAMES) act();
  };
}

/**
 * Return the node that a finger touches: the one with the nearest edge, at most `pixels` away; null if there is none.
 * @param {Picture['renderer']} renderer
 * @param {{ x: number, y: number }} point
 * @param {number} pixels
 */
function nodeNear(renderer, point, pixels) {
  let best = { key: /** @type {string | null} */ (null), away: pixels };
  renderer.getGraph().forEachNode((key) => {
    const data = renderer.getNodeDisplayData(key);
    if (!data || data.hidden) return;
    const { x, y } = renderer.framedGraphToViewport(data);
    const away = Math.hypot(x - point.x, y - point.y) - renderer.scaleSize(data.size);
    if (away < best.away) best = { key, away };
  });
  return best.key;
}
