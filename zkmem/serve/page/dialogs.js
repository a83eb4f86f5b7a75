// Dialogs of the whole page: the token that the server needs, and the keys.
import { html, useEffect } from './vendor/ui.js';
import { ApiError, setToken, token } from './api.js';
import { forgetPositions } from './graph/positions.js';
import { useElement } from './refs.js';
import { confirmLeave, helpShown, tokenQuestion, vault } from './state.js';

/** @import { TokenQuestion } from './state.js' */

const GIVEN_UP = {
  kind: 'NoToken',
  message: 'This server needs a token; try again, or reload the page, to give one.',
};

export const signedIn = () => token() !== null;

export async function signOut() {
  if (confirmLeave.value && !(await confirmLeave.value())) return;
  confirmLeave.value = null;
  if (vault.value) forgetPositions(vault.value.name);
  setToken(null);
  location.reload();
}

export function SignIn() {
  const dialog = useModal(Boolean(tokenQuestion.value?.shown));
  const input = useElement(HTMLInputElement);
  const close = (/** @type {(question: TokenQuestion) => void} */ settle) => {
    const question = tokenQuestion.value;
    tokenQuestion.value = null;
    if (question) settle(question);
  };
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    const value = input.current.value.trim();
    if (!value) return;
    setToken(value);
    input.current.value = '';
    close(({ resolve }) => resolve());
  };
  const giveUp = () => close(({ reject }) => reject(new ApiError(401, GIVEN_UP)));
  return html`<dialog ref=${dialog} aria-labelledby="sign-in-title" onCancel=${giveUp}>
    <form onSubmit=${submit}>
      <h2 id="sign-in-title">This memory needs a token</h2>
      <p>The person who runs the server makes one with <code>zkmem token add NAME</code>. The browser keeps it until
        you close this tab.</p>
      ${tokenQuestion.value?.refused && html`<p class="refused" role="alert">The token was refused.</p>`}
      <label>Token <input ref=${input} type="password" autocomplete="off" spellcheck=${false} required /></label>
      <div class="actions">
        <button type="button" class="plain" onClick=${giveUp}>Cancel</button>
        <button type="submit" class="primary">Open</button>
      </div>
    </form>
  </dialog>`;
}

/** The message that requests wait for a token, while the dialog would take the focus of one who types. */
export function TokenWanted() {
  const question = tokenQuestion.value;
  if (!question || question.shown) return null;
  const show = () => (tokenQuestion.value = { ...question, shown: true });
  return html`<div class="toast error" role="alert">
    <span>The server needs a token.</span>
    <button type="button" class="plain" onClick=${show}>Give a token…</button>
  </div>`;
}

const KEYS = [
  ['/', 'Search'],
  ['↑ ↓ Enter', 'Choose in a list'],
  ['e', 'Edit the open note'],
  ['Ctrl S', 'Save the note that is edited'],
  ['Esc', 'Close what is open'],
  ['g', 'Open the map, or close it'],
  ['+ − 0', 'Zoom in, zoom out, show all (in the map)'],
  ['← → ↑ ↓', 'Move the picture (in the map)'],
  ['?', 'This help'],
];

export function Help() {
  const dialog = useModal(helpShown.value);
  return html`<dialog ref=${dialog} aria-labelledby="help-title" onClose=${() => (helpShown.value = false)}>
    <h2 id="help-title">Keys</h2>
    <dl class="keys">${KEYS.map(([key, what]) => html`<div><dt><kbd>${key}</kbd></dt><dd>${what}</dd></div>`)}</dl>
    <p>A circle is a note. It is larger if more notes lead to it, and hollow if the note is linked to but not written
      yet. Click a circle to open the note, drag it to move it; the wheel zooms.</p>
    <p><a href="vendor/LICENSES.txt" target="_blank" rel="noopener">Licences of the software in this page</a></p>
    <div class="actions"><button type="button" class="primary"
      onClick=${() => dialog.current.close()}>Close</button></div>
  </dialog>`;
}

/**
 * Return a ref for a dialog that is open while `shown`; the browser keeps the focus in it and gives it back.
 * @param {boolean} shown
 */
function useModal(shown) {
  const dialog = useElement(HTMLDialogElement);
  useEffect(() => {
    if (shown && !dialog.current.open) dialog.current.showModal();
    if (!shown && dialog.current.open) dialog.current.close();
  }, [shown]);
  return dialog;
}
