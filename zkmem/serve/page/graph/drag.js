// Moving a node by hand.

/** `held(key, true)` is called at each move of a node, `held(key, false)` when it is let go. */
export function dragging(renderer, held) {
  let key = null;
  let links = [];

  renderer.on('downNode', ({ node }) => {
    key = node;
    links = renderer.getGraph().edges(node);
    renderer.setCustomBBox(renderer.getCustomBBox() ?? renderer.getBBox()); // the picture keeps its scale meanwhile
  });
  renderer.on('moveBody', ({ event, preventSigmaDefault }) => {
    if (key === null) return;
    preventSigmaDefault();
    event.original.preventDefault();
    Object.assign(renderer.getGraph().getNodeAttributes(key), renderer.viewportToGraph(event));
    renderer.refresh({ partialGraph: { nodes: [key], edges: links }, skipIndexation: true, schedule: true });
    held(key, true);
  });
  for (const end of ['upNode', 'upStage']) renderer.on(end, release);
  addEventListener('pointerup', release); // outside of the picture

  function release() {
    if (key === null) return;
    const was = key;
    key = null;
    renderer.setCustomBBox(null);
    held(was, false);
  }
}
