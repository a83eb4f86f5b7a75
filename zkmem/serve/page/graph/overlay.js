// A layer over those of sigma: the links of the node under the mouse, names, and what has just changed.
import { recentChanges } from './recent.js';

/**
 * @import { Palette } from './colours.js'
 * @import { Node } from './model.js'
 * @import { Sigma } from '../vendor/graph.js'
 */

/**
 * Add the layer; `lit()` returns the nodes whose links are drawn, `traced()` those of a path, `write()` writes
 * names, `onGrown` is called when sigma shows notes that have grown, and `more` draws what moves in a replay.
 * @param {Sigma} renderer
 * @param {{ lit: () => string[], traced: () => string[], colours: () => Palette,
 *   write: (context: CanvasRenderingContext2D) => void, onGrown: () => void,
 *   more: (context: CanvasRenderingContext2D) => void }} calls
 */
export function overlay(renderer, { lit, traced, colours, write, onGrown, more }) {
  const layer = { beforeLayer: 'hovers', style: { pointerEvents: 'none' } }; // sigma's types leave beforeLayer out
  renderer.createCanvasContext('overlay', layer);
  const canvas = renderer.getCanvases().overlay;
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
  const recent = recentChanges(renderer, { colours, redraw: draw, onGrown });
  renderer.resize(true); // the new layer gets its size
  renderer.on('afterRender', draw);

  function draw() {
    const { width, height } = renderer.getDimensions();
    context.clearRect(0, 0, width, height);
    for (const key of lit()) if (renderer.getGraph().hasNode(key)) drawLinks(key);
    drawPath(traced().filter((key) => renderer.getGraph().hasNode(key)));
    recent.draw(context);
    more(context);
    write(context);
  }

  function drawLinks(/** @type {string} */ key) {
    const graph = renderer.getGraph();
    if (renderer.getNodeDisplayData(key)?.hidden) return;
    const from = at(key);
    context.beginPath();
    graph.forEachNeighbor(key, (other) => {
      if (renderer.getNodeDisplayData(other)?.hidden) return;
      const to = at(other);
      context.moveTo(from.x, from.y);
      context.lineTo(to.x, to.y);
    });
    context.strokeStyle = colours().lit;
    context.lineWidth = 1.2;
    context.stroke();
  }

  function drawPath(/** @type {string[]} */ keys) {
    if (keys.length < 2) return;
    context.beginPath();
    keys.map(at).forEach(({ x, y }) => context.lineTo(x, y));
    context.strokeStyle = colours().accent;
    context.lineWidth = 3;
    context.stroke();
  }

  const at = (/** @type {string} */ key) =>
    renderer.graphToViewport(/** @type {Node} */ (renderer.getGraph().getNodeAttributes(key)));

  return { draw, recent };
}
