// Where the keys of the person go.

const FIELDS = 'input:not([type="radio"], [type="checkbox"]), textarea, select, [contenteditable="true"]';

/** Whether the person types into this element. */
export const isField = (element) => Boolean(element?.closest(FIELDS));

/** Whether the person types now: then nothing that comes by itself may take the focus. */
export const isTyping = () => isField(document.activeElement);

/** Whether a key that is pressed there belongs to a field or a dialog, and not to the page. */
export const ownsKeys = (element) => isField(element) || Boolean(element.closest('dialog'));
