// Where the keys of the person go.

const FIELDS = 'input:not([type="radio"], [type="checkbox"]), textarea, select, [contenteditable="true"]';

const isField = (/** @type {Element | null} */ element) => Boolean(element?.closest(FIELDS));

/** Return whether the person types now. Then nothing that comes by itself may take the focus. */
export const isTyping = () => isField(document.activeElement);

/** Return whether a key that is pressed belongs to a field or a dialog, and not to the page. */
export function belongsToField(/** @type {KeyboardEvent} */ { target }) {
  return target instanceof Element && (isField(target) || Boolean(target.closest('dialog')));
}
