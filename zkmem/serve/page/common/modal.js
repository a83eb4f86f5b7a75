// A dialog that is always on the page, and open at times.
import { useEffect } from '../vendor/ui.js';
import { useElement } from './refs.js';

/**
 * Return a ref for a dialog that is open while `shown`. The element with `data-first` gets the focus, by default the
 * first one that can have it; the browser keeps the focus in the dialog and gives it back.
 * @param {boolean} shown
 */
export function useModal(shown) {
  const dialog = useElement(HTMLDialogElement);
  useEffect(() => {
    if (shown && !dialog.current.open) {
      dialog.current.showModal();
      const first = dialog.current.querySelector('[data-first]');
      if (first instanceof HTMLElement) first.focus({ preventScroll: true });
      dialog.current.scrollTop = 0; // the browser had shown the element that it focused
    }
    if (!shown && dialog.current.open) dialog.current.close();
  }, [shown]);
  return dialog;
}
