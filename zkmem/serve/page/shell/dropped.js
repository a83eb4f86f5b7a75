// Files that are dropped beside a text that is edited. The browser would leave the page to show them.
import { useLayoutEffect, useRef } from '../vendor/ui.js';
import { takeFiles, vault } from '../state.js';
import { toast } from '../common/toasts.js';

/** Take the files that are dropped while a component is shown; null for none. The one that was shown last counts. */
export function useDropped(/** @type {((files: File[]) => void) | null} */ take) {
  const latest = useRef(take);
  latest.current = take;
  const isTaker = Boolean(take);
  useLayoutEffect(() => {
    if (!isTaker) return undefined;
    const own = (/** @type {File[]} */ files) => latest.current?.(files);
    takeFiles.value = own;
    return () => {
      if (takeFiles.peek() === own) takeFiles.value = null;
    };
  }, [isTaker]);
}

let isOwn = false; // whether what is dragged comes from this page, such as a picture of the note
addEventListener('dragstart', () => (isOwn = true));
addEventListener('dragend', () => (isOwn = false));

const hasFiles = (/** @type {DragEvent} */ { dataTransfer }) => Boolean(dataTransfer?.types.includes('Files'));

addEventListener('dragover', (event) => {
  if (hasFiles(event)) event.preventDefault();
});

addEventListener(
  'drop',
  (event) => {
    const isInText = event.target instanceof Element && event.target.closest('.editor .text .cm-content');
    if (!hasFiles(event) || isInText) return;
    event.preventDefault();
    event.stopPropagation(); // the editor of a merged text would insert the bytes
    if (isOwn || document.querySelector('dialog[open]')) return;
    if (takeFiles.value) takeFiles.value([...(event.dataTransfer?.files ?? [])]);
    else if (vault.value?.can_write) toast('Open the note that the file belongs to, and drop it there.', 'error');
    else toast('You may only read these notes, so no file can be added.', 'error');
  },
  true,
);
