// A layer over those of sigma: the links of the node under the mouse, the names of regions, and the flash of notes that
// changed.
import { still } from './view.js';

/**
 * @import { Palette } from './colours.js'
 * @import { Node } from './model.js'
 * @import { Picture } from './picture.js'
 */

const FLASH_MS = 1800;

/**
 * Add the layer; `lit()` returns the nodes whose links are drawn, `traced()` those of a path, `write()` writes the
 * names of regions.
 * @param {Picture['renderer']} renderer
 * @param {{ lit: () => string[], traced: () => string[], colours: () => Palette,
 *   write: (context: CanvasRenderingContext2D) => void }} calls
 */
export function overlay(renderer, { lit, traced, colours, write }) {
  const layer = { beforeLayer: 'hovers', style: { pointerEvents: 'none' } }; // sigma's types leave beforeLayer out
  renderer.createCanvasContext('overlay', layer);
  const canvas = renderer.getCanvases().overlay;
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
  /** @type {Map<string, number>} */
  const flashes = new Map(); // when the flash of a node began
  let frame = 0;
  renderer.resize(true); // the new layer gets its size
  renderer.on('afterRender', draw);

  function draw() {
    const { width, height } = renderer.getDimensions();
    context.clearRect(0, 0, width, height);
    for (const key of lit()) if (renderer.getGraph().hasNode(key)) drawLinks(key);
    drawPath(traced().filter((key) => renderer.getGraph().hasNode(key)));
    write(context);
    const now = performance.now();
    for (const [node, began] of flashes) drawFlash(node, (now - began) / FLASH_MS);
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

  function drawFlash(/** @type {string} */ key, /** @type {number} */ part) {
    const data = renderer.getNodeDisplayData(key);
    if (!data || data.hidden || part >= 1) return;
    const { x, y } = renderer.framedGraphToViewport(data);
    const eased = still() ? 0.4 : 1 - (1 - part) ** 3;
    context.beginPath();
    context.arc(x, y, renderer.scaleSize(data.size) + 3 + 26 * eased, 0, 2 * Math.PI);
    context.globalAlpha = still() ? 0.9 : 1 - part;
    context.strokeStyle = colours().accent;
    context.lineWidth = 3;
    context.stroke();
    context.globalAlpha = 1;
  }

  const at = (/** @type {string} */ key) =>
    renderer.graphToViewport(/** @type {Node} */ (renderer.getGraph().getNodeAttributes(key)));

  function animate() {
    const now = performance.now();
    for (const [node, began] of flashes) if (now - began > FLASH_MS) flashes.delete(node);
    draw();
    frame = flashes.size ? requestAnimationFrame(animate) : 0;
  }

  return {
    draw,
    flash(/** @type {string[]} */ keys) {
      for (const key of keys) flashes.set(key, performance.now());
      if (!frame && flashes.size) frame = requestAnimationFrame(animate);
    },
  };
}
