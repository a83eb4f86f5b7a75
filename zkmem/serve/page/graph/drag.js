// Moving a node by hand.

const LEAST = 4; // pixels; less is a click

/**
 * `held(key, true)` is called at each move of a node, `held(key, false)` when it is let go.
 * Returns a function that says whether what the mouse did last was a move.
 */
export function dragging(renderer, held) {
  let key = null;
  let from = null;
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
    if (!moved) renderer.setCustomBBox(renderer.getBBox()); // the picture keeps its scale meanwhile
    moved = true;
    renderer.getMouseCaptor().draggedEvents += 1; // so that sigma knows that something moves
    move(renderer.viewportToGraph(event));
  });
  renderer.on('upNode', release);
  renderer.on('upStage', release);
  addEventListener('pointerup', release); // outside of the picture

  function move(place) {
    const graph = renderer.getGraph();
    Object.assign(graph.getNodeAttributes(key), place);
    renderer.refresh({ partialGraph: { nodes: [key], edges: graph.edges(key) }, skipIndexation: true, schedule: true });
    held(key, true);
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
