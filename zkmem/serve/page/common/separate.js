// Put each text that sets a direction of writing into an element of its own, wherever the page shows it.
import { closed, setsDirection } from './bidi.js';
import { options } from '../vendor/ui.js';

const previous = options.vnode; // of the signals

/** Preact calls this for each element and text before it is drawn. A text has no type, and its props are the text. */
options.vnode = (vnode) => {
  const node = /** @type {{ type: unknown, props: unknown }} */ (vnode);
  if (node.type === null && typeof node.props === 'string' && setsDirection(node.props)) {
    node.type = 'bdi';
    node.props = { textContent: closed(/** @type {string} */ (node.props)) };
  }
  previous?.(vnode);
};
