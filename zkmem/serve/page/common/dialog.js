// A modal dialog: labelled, focused at its first field, closed by Escape. The focus goes back where it was.
import { html, useId, useLayoutEffect } from '../vendor/ui.js';
import { useElement } from './refs.js';

/** @import { ComponentChildren } from '../vendor/ui.js' */

/**
 * `onClose` is called when the person gives up; `busy` keeps the dialog open. The palette shows no title and is closed
 * by a click beside it.
 * @param {{ title: string, onClose: () => void, busy?: boolean, wide?: boolean, kind?: 'note-dialog' | 'palette',
 *   children: ComponentChildren }} props
 */
export function Dialog({ title, onClose, busy = false, wide = false, kind = 'note-dialog', children }) {
  const dialog = useElement(HTMLDialogElement);
  const label = useId();
  // before the page is painted: keys that follow a click belong to the dialog
  useLayoutEffect(() => {
    const before = document.activeElement;
    const shown = dialog.current;
    shown.showModal();
    const first = shown.querySelector('[data-first]');
    if (first instanceof HTMLElement) first.focus({ preventScroll: true });
    shown.scrollTop = 0; // the browser had shown the element that it focused
    return () => {
      shown.close(); // while it is open, nothing else can have the focus
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  const cancel = (/** @type {Event} */ event) => {
    event.preventDefault();
    if (!busy) onClose();
  };
  const onClick = (/** @type {MouseEvent} */ event) => {
    if (kind === 'palette' && event.target === dialog.current) onClose();
  };
  return html`<dialog ref=${dialog} class=${wide ? `${kind} wide` : kind} aria-labelledby=${label}
    onCancel=${cancel} onClick=${onClick}>
    <h2 id=${label} class=${kind === 'palette' ? 'unseen' : ''}>${title}</h2>
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
