// Dialogs of the shell: the token that the server wants, and the keys.
import { html, signal, useEffect, useRef } from './vendor/ui.js';
import { ApiError, onUnauthorized, setToken, token } from './api.js';
import { forgetPositions } from './graph/positions.js';
import { confirmLeave, vault } from './state.js';
import { isTyping } from './typing.js';

const asked = signal(null); // { refused, shown, promise, resolve, reject } while requests wait for a token
export const helpShown = signal(false);

onUnauthorized(({ refused, interrupt }) => {
  const question = asked.peek() ?? { refused, shown: false, ...Promise.withResolvers() };
  asked.value = { ...question, shown: question.shown || interrupt || !isTyping() };
  return question.promise;
});

export const signedIn = () => token() !== null;

export async function signOut() {
  if (confirmLeave.value && !(await confirmLeave.value())) return;
  confirmLeave.value = null;
  forgetPositions(vault.value.name);
  setToken(null);
  location.reload();
}

export function SignIn() {
  const dialog = useModal(Boolean(asked.value?.shown));
  const input = useRef(/** @type {HTMLInputElement} */ (null));
  const close = (settle) => {
    const request = asked.value;
    asked.value = null;
    settle(request);
  };
  const submit = (event) => {
    event.preventDefault();
    const value = input.current.value.trim();
    if (!value) return;
    setToken(value);
    input.current.value = '';
    close(({ resolve }) => resolve());
  };
  const giveUp = () =>
    close(({ reject }) =>
      reject(
        new ApiError(401, {
          kind: 'NoToken',
          message: 'This server wants a token; try again, or reload the page, to give one.',
        }),
      ),
    );
  return html`<dialog ref=${dialog} aria-labelledby="sign-in-title" onCancel=${giveUp}>
    <form onSubmit=${submit}>
      <h2 id="sign-in-title">This memory wants a token</h2>
      <p>Whoever runs the server makes one with <code>zkmem token add NAME</code>. It is kept until this tab is
        closed.</p>
      ${asked.value?.refused && html`<p class="refused" role="alert">The token was refused.</p>`}
      <label>Token <input ref=${input} type="password" autocomplete="off" spellcheck=${false} required /></label>
      <div class="actions">
        <button type="button" class="plain" onClick=${giveUp}>Cancel</button>
        <button type="submit" class="primary">Open</button>
      </div>
    </form>
  </dialog>`;
}

/** That requests wait for a token, and the way to give it, while the person types and is not interrupted. */
export function TokenWanted() {
  if (!asked.value || asked.value.shown) return null;
  const show = () => (asked.value = { ...asked.value, shown: true });
  return html`<div class="toast error" role="alert">
    <span>The server wants a token.</span>
    <button type="button" class="plain" onClick=${show}>Give a token…</button>
  </div>`;
}

const KEYS = [
  ['/', 'Search'],
  ['↑ ↓ Enter', 'Choose in a list'],
  ['e', 'Edit the open note'],
  ['Ctrl S', 'Save what is edited'],
  ['Esc', 'Close what is open'],
  ['g', 'Show the open note in the graph'],
  ['+ − 0', 'Zoom in, zoom out, show all (in the graph)'],
  ['← → ↑ ↓', 'Move the picture (in the graph)'],
  ['?', 'This help'],
];

export function Help() {
  const dialog = useModal(helpShown.value);
  return html`<dialog ref=${dialog} aria-labelledby="help-title" onClose=${() => (helpShown.value = false)}>
    <h2 id="help-title">Keys</h2>
    <dl class="keys">${KEYS.map(([key, what]) => html`<div><dt><kbd>${key}</kbd></dt><dd>${what}</dd></div>`)}</dl>
    <p>A circle is a note: the more of the memory leads to it, the larger. A hollow one is linked to, but not written
      yet.
      Click opens, drag moves, the wheel zooms.</p>
    <p><a href="vendor/LICENSES.txt" target="_blank" rel="noopener">Licences of the software in this page</a></p>
    <div class="actions"><button type="button" class="primary"
      onClick=${() => dialog.current.close()}>Close</button></div>
  </dialog>`;
}

/** A dialog that is open while `shown`; the browser keeps the focus in it and gives it back. */
function useModal(shown) {
  const dialog = useRef(/** @type {HTMLDialogElement} */ (null));
  useEffect(() => {
    if (shown && !dialog.current.open) dialog.current.showModal();
    if (!shown && dialog.current.open) dialog.current.close();
  }, [shown]);
  return dialog;
}
