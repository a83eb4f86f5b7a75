// Short messages at the edge of the page.
import { ApiError } from '../server/error.js';
import { toastCount, toasts } from '../state.js';

/** @import { Offer } from '../state.js' */

const SHOWN_MS = 6000;
const OFFERED_MS = 20_000;

/**
 * Show a short message, with a button if it offers something; an error stays until it is closed.
 * @param {string} message
 * @param {'info' | 'error'} kind
 * @param {Offer} [offer]
 */
export function toast(message, kind = 'info', offer) {
  const id = (toastCount.value += 1);
  toasts.value = [...toasts.value.slice(-3), { id, message, kind, offer }];
  if (kind !== 'error') setTimeout(() => dismiss(id), offer ? OFFERED_MS : SHOWN_MS);
}

/** Show why the server refused a request. Any other error is a fault of the page: it goes to the console. */
export function showError(/** @type {unknown} */ error) {
  if (!(error instanceof ApiError)) throw error;
  if (error.kind === 'NoToken') return; // the page shows the way to sign in
  toast(error.message, 'error');
}

/** Close a message. */
export const dismiss = (/** @type {number} */ id) => {
  toasts.value = toasts.value.filter((one) => one.id !== id);
};
