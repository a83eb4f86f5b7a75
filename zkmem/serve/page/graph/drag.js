// Moving a node by hand.
import { repaint } from './view.js';

/** @import { Picture } from './picture.js' */

const LEAST = 4; // pixels; less is a click

/**
 * Let sigma look for the node under the mouse only while no button is held. To look for it, sigma reads a pixel back
 * from the graphics card, and so waits at each move of the mouse until the picture is drawn.
 * @param {Picture['renderer']} renderer a new one
 */
export function lookOnlyWhenFree(renderer) {
  const captor = renderer.getMouseCaptor();
  for (const look of captor.rawListeners('mousemove')) {
    captor.off('mousemove', look);
    captor.on('mousemove', (event) => {
      if (!captor.isMouseDown) look(event);
    });
  }
}

/**
 * Let the mouse move nodes. `held(key, true)` is called at each move of a node, `held(key, false)` when it is let go.
 * Return a function that says whether the last use of the mouse was a move.
 * @param {Picture['renderer']} renderer
 * @param {(key: string, held: boolean) => void} held
 */
export function dragging(renderer, held) {
  let key = /** @type {string | null} */ (null);
  let from = { x: 0, y: 0 };
  let moved = false;

  renderer.on('downNode', ({ node, event }) => {
    key = node;
    from = event;
    moved = false;
  });
  renderer.on('moveBody', ({ event, preventSigmaDefault }) => {
    if (key === null) return;
    preventSigmaDefault();
    event.original.preventDefault();
    if (!moved && Math.hypot(event.x - from.x, event.y - from.y) < LEAST) return;
    if (!moved) renderer.setCustomBBox(renderer.getBBox()); // so that the picture keeps its scale
    moved = true;
    renderer.getMouseCaptor().draggedEvents += 1; // so that sigma knows that something moves
    move(key, renderer.viewportToGraph(event));
  });
  renderer.on('upNode', release);
  renderer.on('upStage', release);
  addEventListener('pointerup', release); // outside of the picture

  function move(/** @type {string} */ node, /** @type {{ x: number, y: number }} */ position) {
    const graph = renderer.getGraph();
    Object.assign(graph.getNodeAttributes(node), position);
    repaint(renderer, { nodes: [node], edges: graph.edges(node) });
    held(node, true);
  }

  function release() {
    const was = key;
    key = null;
    if (was === null || !moved) return;
    renderer.setCustomBBox(null);
    held(was, false);
  }

  return () => moved;
}
