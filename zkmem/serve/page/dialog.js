// A modal dialog: labelled, focused at its first field, closed by Escape. The focus goes back where it was.
import { html, useId, useLayoutEffect } from './vendor/ui.js';
import { useElement } from './refs.js';

/** @import { ComponentChildren } from './vendor/ui.js' */

/**
 * `onClose` is called when the person gives up; `busy` keeps the dialog open.
 * @param {{ title: string, onClose: () => void, busy?: boolean, wide?: boolean, children: ComponentChildren }} props
 */
export function Dialog({ title, onClose, busy = false, wide = false, children }) {
  const dialog = useElement(HTMLDialogElement);
  const label = useId();
  // before the page is painted: keys that follow a click belong to the dialog
  useLayoutEffect(() => {
    const before = document.activeElement;
    dialog.current.showModal();
    const first = dialog.current.querySelector('[data-first]');
    if (first instanceof HTMLElement) first.focus();
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  const cancel = (/** @type {Event} */ event) => {
    event.preventDefault();
    if (!busy) onClose();
  };
  return html`<dialog ref=${dialog} class=${wide ? 'note-dialog wide' : 'note-dialog'} aria-labelledby=${label}
    onCancel=${cancel}>
    <h2 id=${label}>${title}</h2>
    ${children}
  </dialog>`;
}

/**
 * A question with two answers, and `also` other buttons; `onAnswer(true)` means yes.
 * @param {{ title: string, yes: string, no?: string, danger?: boolean, also?: ComponentChildren,
 *   onAnswer: (yes: boolean) => void, children: ComponentChildren }} props
 */
export function Question({ title, yes, no = 'Cancel', danger = false, also, onAnswer, children }) {
  return html`<${Dialog} title=${title} onClose=${() => onAnswer(false)}>
    ${children}
    <div class="actions">
      <button type="button" data-first onClick=${() => onAnswer(false)}>${no}</button>
      ${also}
      <button type="button" class=${danger ? 'danger' : 'primary'} onClick=${() => onAnswer(true)}>${yes}</button>
    </div>
  <//>`;
}
