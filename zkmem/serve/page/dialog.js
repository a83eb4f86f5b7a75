// A modal dialog: labelled, focused at its first field, closed by Escape, and the focus goes back where it was.
import { html, useEffect, useId, useRef } from './vendor/ui.js';

/** `onClose` is called when the person turns away; `busy` keeps the dialog open. */
export function Dialog({ title, onClose, busy = false, wide = false, children }) {
  const dialog = useRef(/** @type {HTMLDialogElement} */ (null));
  const label = useId();
  useEffect(() => {
    const before = /** @type {HTMLElement} */ (document.activeElement);
    dialog.current.showModal();
    const first = /** @type {HTMLElement} */ (dialog.current.querySelector('[data-first]'));
    first?.focus();
    return () => before?.isConnected && before.focus();
  }, []);
  const cancel = (event) => {
    event.preventDefault();
    if (!busy) onClose();
  };
  return html`<dialog ref=${dialog} class=${wide ? 'note-dialog wide' : 'note-dialog'} aria-labelledby=${label}
    onCancel=${cancel}>
    <h2 id=${label}>${title}</h2>
    ${children}
  </dialog>`;
}

/** A question with two answers, and `also` other buttons; `onAnswer(true)` does it. */
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
