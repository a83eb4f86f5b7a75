// Names and texts with invisible characters that set the direction of writing, such as U+202E. If nothing ends such a
// direction, the text after the name is reversed, too. A script that puts a name into a sentence uses `isolated`. Every
// other text with such characters gets an element of its own here, so no other script needs to do anything.
import { options } from '../vendor/ui.js';

/** @type {Record<string, string>} */
const END = {
  '\u202a': '\u202c',
  '\u202b': '\u202c',
  '\u202d': '\u202c',
  '\u202e': '\u202c',
  '\u2066': '\u2069',
  '\u2067': '\u2069',
  '\u2068': '\u2069',
};
const CONTROLS = /[\u202a-\u202e\u2066-\u2069]/;

/** Return whether a text sets a direction of writing. */
const setsDirection = (/** @type {string} */ text) => CONTROLS.test(text);

/** Return a text in which each direction ends, and nothing ends a direction that is not its own. */
export function closed(/** @type {string} */ text) {
  const open = /** @type {string[]} */ ([]);
  let result = '';
  for (const letter of text) {
    const isEnd = letter === '\u202c' || letter === '\u2069';
    if (END[letter]) open.push(END[letter]);
    else if (isEnd && open.at(-1) !== letter) continue;
    else if (isEnd) open.pop();
    result += letter;
  }
  return result + open.reverse().join('');
}

/** Return a name as a part of a longer text, on which it has no effect. */
export const isolated = (/** @type {string} */ name) => (setsDirection(name) ? `\u2068${closed(name)}\u2069` : name);

/** Return a text without the characters that set a direction: for sentences that do not show where a name ends. */
export const directionless = (/** @type {string} */ text) =>
  setsDirection(text) ? text.replace(new RegExp(CONTROLS, 'g'), '') : text;

const previous = options.vnode; // the hook of the signals

/** Preact calls this for each element and text before it is drawn. A text has no type, and its props are the text. */
options.vnode = (vnode) => {
  const node = /** @type {{ type: unknown, props: unknown }} */ (vnode);
  if (node.type === null && typeof node.props === 'string' && setsDirection(node.props)) {
    node.type = 'bdi';
    node.props = { textContent: closed(/** @type {string} */ (node.props)) };
  }
  previous?.(vnode);
};
