// A layer of our own over sigma's: the links of the node one points at, and the flash of notes that changed.
import { still } from './view.js';

const FLASH_MS = 1800;

/** `lit()` answers the node whose links are drawn, or null; `colours()` the theme. */
export function overlay(renderer, { lit, colours }) {
  renderer.createCanvasContext('overlay', { beforeLayer: 'hovers', style: { pointerEvents: 'none' } });
  const canvas = renderer.getCanvases().overlay;
  const context = canvas.getContext('2d');
  const flashes = new Map(); // node: when it began
  let frame = 0;
  renderer.resize(true); // the new layer gets its size
  renderer.on('afterRender', draw);

  function draw() {
    const { width, height } = renderer.getDimensions();
    context.clearRect(0, 0, width, height);
    const key = lit();
    if (key && renderer.getGraph().hasNode(key)) drawLinks(key);
    const now = performance.now();
    for (const [node, began] of flashes) drawFlash(node, (now - began) / FLASH_MS);
  }

  function drawLinks(key) {
    const graph = renderer.getGraph();
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

  function drawFlash(key, part) {
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

  const at = (key) => renderer.graphToViewport(renderer.getGraph().getNodeAttributes(key));

  function animate() {
    const now = performance.now();
    for (const [node, began] of flashes) if (now - began > FLASH_MS) flashes.delete(node);
    draw();
    frame = flashes.size ? requestAnimationFrame(animate) : 0;
  }

  return {
    draw,
    flash(keys) {
      for (const key of keys) flashes.set(key, performance.now());
      if (!frame && flashes.size) frame = requestAnimationFrame(animate);
    },
  };
}
