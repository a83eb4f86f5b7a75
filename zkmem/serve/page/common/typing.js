// Where the keys of the person go.
import { useLayoutEffect, useRef } from '../vendor/ui.js';

const FIELDS = 'input:not([type="radio"], [type="checkbox"]), textarea, select, [contenteditable="true"]';

const isField = (/** @type {Element | null} */ element) => Boolean(element?.closest(FIELDS));

/** Return whether the person types now. Then nothing that comes by itself may take the focus. */
export const isTyping = () => isField(document.activeElement);

/** Return whether a key that is pressed belongs to a field or a dialog, and not to the page. */
export function belongsToField(/** @type {KeyboardEvent} */ { target }) {
  return target instanceof Element && (isField(target) || Boolean(target.closest('dialog')));
}

/**
 * Call `act` when this key is pressed while nobody types; null for nothing. A layout effect, so that the key works as
 * soon as the note is shown.
 * @param {string} key
 * @param {(() => void) | null} act
 */
export function useKey(key, act) {
  const latest = useRef(act);
  latest.current = act;
  useLayoutEffect(() => {
    const press = (/** @type {KeyboardEvent} */ event) => {
      const plain = !event.ctrlKey && !event.metaKey && !event.altKey && !belongsToField(event);
      if (
        event.key !== key ||
        event.defaultPrevented ||
        !plain ||
        !latest.current ||
        document.querySelector('dialog[open]')
      )
        return;
      event.preventDefault();
      latest.current();
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, []);
}
