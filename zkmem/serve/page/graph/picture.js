// The picture of the graph: sigma, what it shows of each node, and what the mouse does.
import { EdgeLineProgram, EdgeRectangleProgram, Sigma } from '../vendor/graph.js';
import { DiscProgram } from './discs.js';
import { dragging } from './drag.js';
import { hoverDrawer, labelDrawer } from './labels.js';
import { isMissing, nameOf } from './model.js';
import { overlay } from './overlay.js';
import { labels, still } from './view.js';

const MANY_LINKS = 3000; // beyond these links are thin lines, which cost a graphics card a quarter
const FEW_LIT = 30; // neighbours whose names are all written
const SLOW_MS = 60; // a frame; where several in a row take longer, links are left out while the picture moves
const SLOW_FRAMES = 6;
const WRITTEN = [
  [0, 99],
  [0.25, 7],
  [0.7, 4],
  [2.5, 0],
]; // for each level: how dense, and from which radius on

/**
 * Show a graph in an element. `look(key, node)` answers `{ colour, hidden }`; `colours()` the theme;
 * `onOpen(name)` is called for a click, `onDrag(key, held)` while a node is moved by hand.
 */
export function picture(graph, element, { look, colours, onOpen, onDrag }) {
  let hovered = null;
  let selected = null;
  let lit = new Set(); // drawn on top: the selected node, the hovered one and its neighbours

  const names = labelDrawer(colours);
  const renderer = new Sigma(graph, element, {
    allowInvalidContainer: true, // the graph may be the hidden tab
    nodeProgramClasses: { disc: DiscProgram },
    edgeProgramClasses: { line: EdgeLineProgram, band: EdgeRectangleProgram },
    defaultNodeType: 'disc',
    defaultEdgeType: graph.size > MANY_LINKS ? 'line' : 'band',
    defaultEdgeColor: colours().edge,
    labelFont: 'system-ui, sans-serif',
    labelSize: 12,
    labelGridCellSize: 90,
    ...written(labels.peek()),
    minCameraRatio: 0.01,
    maxCameraRatio: 3,
    stagePadding: 40,
    zIndex: false,
    defaultDrawNodeLabel: names.draw,
    defaultDrawNodeHover: hoverDrawer(
      colours,
      (key) => key === selected || key === hovered,
      () => lit.size <= FEW_LIT,
    ),
    nodeReducer: (key, data) => {
      const { colour, hidden } = look(key, data);
      data.color = colour;
      data.hidden = hidden;
      data.highlighted = lit.has(key);
      data.whole = nameOf(key);
      if (isMissing(key)) Object.assign(data, { inside: colours().halo, whole: `${nameOf(key)} (missing)` });
      return data;
    },
    edgeReducer: (_, data) => {
      data.size = 0.8;
      return data;
    },
  });
  renderer.on('beforeRender', names.clear);
  const moving = () => renderer.getCamera().isAnimated() || renderer.getMouseCaptor().draggedEvents > 0;
  renderer.on(
    'afterRender',
    whenSlow(moving, () => renderer.setSetting('hideEdgesOnMove', true)),
  );
  const resized = () => renderer.refresh({ partialGraph: {}, schedule: true });
  new ResizeObserver(resized).observe(element); // also when its tab is shown
  const layer = overlay(renderer, { lit: () => hovered, colours });

  /** Show anew what is lit, without touching anything else. */
  function light() {
    const live = renderer.getGraph();
    const now = new Set([selected, hovered].filter((key) => key && live.hasNode(key)));
    if (hovered && live.hasNode(hovered)) live.forEachNeighbor(hovered, (other) => now.add(other));
    const touched = [...new Set([...lit, ...now])].filter((key) => live.hasNode(key));
    lit = now;
    element.classList.toggle('pointing', hovered !== null);
    renderer.refresh({ partialGraph: { nodes: touched }, skipIndexation: true, schedule: true });
  }

  const hover = (key) => {
    if (hovered === key) return;
    hovered = key;
    light();
  };
  renderer.on('enterNode', ({ node }) => hover(node));
  renderer.on('leaveNode', () => hover(null));
  renderer.on('leaveStage', () => hover(null));
  const wasMove = dragging(renderer, onDrag);
  const onClick = ({ node }) => wasMove() || onOpen(nameOf(node));
  renderer.on('clickNode', onClick);
  renderer.on('doubleClickNode', (event) => {
    event.preventSigmaDefault(); // which is to zoom
    onClick(event);
  });

  return {
    renderer,
    flash: layer.flash,
    select(key) {
      selected = key;
      light();
    },
    /** Positions changed, nothing else: resolves when they are seen. */
    moved: () =>
      new Promise((seen) => {
        renderer.once('afterRender', () => seen(undefined));
        renderer.refresh({ partialGraph: {}, skipIndexation: false, schedule: true });
      }),
    /** What `look` answers, or the theme, changed. */
    restyle: () => renderer.setSetting('defaultEdgeColor', colours().edge),
    label: (level) => renderer.setSettings(written(level)),
    replace(next) {
      if (hovered && !next.hasNode(hovered)) hovered = null;
      lit = new Set([...lit].filter((key) => next.hasNode(key)));
      renderer.setGraph(next);
      light();
    },
    /** Move the camera so that these nodes fill the picture; of one, so that some dozen are seen. */
    fit(keys, closest = Math.min(0.5, Math.max(0.05, Math.sqrt(12 / renderer.getGraph().order)))) {
      const places = keys.map((key) => renderer.getNodeDisplayData(key)).filter(Boolean);
      if (!places.length) return;
      const span = (axis) => [Math.min(...places.map((one) => one[axis])), Math.max(...places.map((one) => one[axis]))];
      const [[left, right], [low, high]] = [span('x'), span('y')];
      const ratio = Math.min(1, Math.max(closest, 1.25 * Math.max(right - left, high - low)));
      go({ x: (left + right) / 2, y: (low + high) / 2, ratio });
    },
    go,
  };

  function go(state) {
    const camera = renderer.getCamera();
    if (still()) camera.setState(state);
    else camera.animate(state, { duration: 450 });
  }
}

function written(level) {
  const [labelDensity, labelRenderedSizeThreshold] = WRITTEN[level];
  return { renderLabels: level > 0, labelDensity, labelRenderedSizeThreshold };
}

/** A function to call at each frame: calls `act`, once, when a row of frames of a movement took long. */
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
