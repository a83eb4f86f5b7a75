// Signing in and out, and the help.
import { html, useEffect, useState } from '../vendor/ui.js';
import { isAccepted } from '../server/api.js';
import { ApiError } from '../server/error.js';
import { forgetPositions } from '../graph/positions.js';
import { ErrorMessage } from '../common/load.js';
import { useAction } from '../common/preview.js';
import { useElement } from '../common/refs.js';
import { fileOf } from '../place.js';
import { HAS_PASSKEYS, HAS_PASSWORDS, endSignIn, tokenFor, tokenForPasskey } from './sessions.js';
import { confirmLeave, helpShown, isSignInNeeded, tokenQuestion, vault } from '../state.js';
import { onSignedIn, onSignedOut, setToken, token } from './token.js';

/** @import { TokenQuestion } from '../state.js' */

const GIVEN_UP = { kind: 'NoToken', message: 'You are not signed in.' };

export const signedIn = () => token() !== null;

/** The name of the vault or, before the server has given it, the address of the page. */
const nameOfVault = () => vault.value?.name ?? `${location.host}${location.pathname}`.replace(/\/(index\.html)?$/, '');

export async function signOut() {
  if (confirmLeave.value && !(await confirmLeave.value())) return;
  confirmLeave.value = null;
  await endSignIn();
  leave();
}

/** Remove the vault from the page. The tab keeps what is typed and not saved. */
function leave() {
  confirmLeave.value = null;
  if (vault.value) forgetPositions(vault.value.name);
  location.reload();
}
onSignedOut(leave);

/** Ask for a token again, after the person has closed the question. */
export function signIn() {
  const question = {
    refused: false,
    shown: true,
    .../** @type {Omit<TokenQuestion, 'refused' | 'shown'>} */ (Promise.withResolvers()),
  };
  question.promise.catch(() => {});
  tokenQuestion.value = question;
}

/** End the question for a token. */
function settle(/** @type {(question: TokenQuestion) => void} */ end) {
  const question = tokenQuestion.value;
  tokenQuestion.value = null;
  if (question) end(question);
}

/** Go on with the token that the page has now. */
function accept() {
  const isBegun = vault.value !== null || !isSignInNeeded.value;
  isSignInNeeded.value = false;
  settle(({ resolve }) => resolve());
  if (!isBegun) location.reload(); // the page had stopped before it showed anything
}
onSignedIn(accept);

export function SignIn() {
  const dialog = useModal(Boolean(tokenQuestion.value?.shown));
  const input = useElement(HTMLInputElement);
  const user = useElement(HTMLInputElement);
  const [remember, setRemember] = useState(false);
  const [byPassword, setByPassword] = useState(HAS_PASSWORDS);
  const take = (/** @type {string} */ secret) => {
    if (!tokenQuestion.peek()) return; // the person has closed the question meanwhile
    setToken(secret, remember);
    input.current.value = '';
    accept();
  };
  const { act, busy, error } = useAction(async () => {
    const text = input.current.value;
    if (!text.trim() || !tokenQuestion.peek()) return;
    const person = { user: user?.current?.value.trim() ?? '', password: text, remember: String(remember) };
    const secret = byPassword ? await tokenFor(person) : text.trim();
    if (byPassword || (await isAccepted(secret))) return take(secret);
    const now = tokenQuestion.peek();
    if (!now) return;
    tokenQuestion.value = { ...now, refused: true };
    input.current.select();
  });
  const giveUp = () => {
    isSignInNeeded.value = true;
    settle(({ reject }) => reject(new ApiError(401, GIVEN_UP)));
  };
  return html`<dialog ref=${dialog} aria-labelledby="sign-in-title" onCancel=${giveUp}>
    <form onSubmit=${act}>
      <h2 id="sign-in-title">Sign in to <em>${nameOfVault()}</em></h2>
      <p>Enter your ${byPassword ? 'name and your password' : 'token'}. The person who runs the server makes
        ${byPassword ? ' them' : ' one'} with <code>zkmem ${byPassword ? 'user' : 'token'} add NAME</code>.</p>
      <${ErrorMessage} error=${error} />
      ${
        !error &&
        tokenQuestion.value?.refused &&
        html`<p class="refused" role="alert">${
          byPassword ? 'Your sign-in has ended.' : 'The token was refused. Enter another one.'
        }</p>`
      }
      ${
        byPassword &&
        html`<label key="name">Name <input ref=${user} autocomplete="username" autocapitalize="none" spellcheck=${false}
          required /></label>`
      }
      <label key="secret">${byPassword ? 'Password' : 'Token'} <input ref=${input} type="password"
        autocomplete=${byPassword ? 'current-password' : 'off'} spellcheck=${false} required /></label>
      <label key="remember" class="check remember"><input type="checkbox" checked=${remember}
        onChange=${() => setRemember(!remember)} /> Remember on this device</label>
      <p class="quiet">${
        remember
          ? 'Until you sign out, anybody who uses this browser can open the vault.'
          : `Otherwise ${byPassword ? 'you are signed in' : 'the token is kept'} until you close this tab.`
      }</p>
      ${
        HAS_PASSWORDS &&
        html`<p><button type="button" class="plain" onClick=${() => setByPassword(!byPassword)}>${
          byPassword ? 'Use a token' : 'Use a name and a password'
        }</button></p>`
      }
      ${HAS_PASSKEYS && html`<${PasskeyButton} remember=${remember} take=${take} />`}
      <div class="actions">
        <button type="button" class="plain" onClick=${giveUp}>Cancel</button>
        <button type="submit" class="primary" disabled=${busy}>Sign in</button>
      </div>
    </form>
  </dialog>`;
}

/** @param {{ remember: boolean, take: (token: string) => void }} props */
function PasskeyButton({ remember, take }) {
  const { act, busy, error } = useAction(async () => take(await tokenForPasskey(remember)));
  return html`<${ErrorMessage} error=${error} />
    <p><button type="button" class="plain" disabled=${busy} onClick=${act}>Sign in with a passkey</button></p>`;
}

/** The way back for a person who closed the question for a token before the page showed anything. */
export function SignInAgain() {
  if (!isSignInNeeded.value || vault.value || tokenQuestion.value?.shown) return null;
  return html`<section class="sign-in-again" aria-label="Signed out">
    <img src=${fileOf('icon.svg')} alt="" width="44" height="44" />
    <p>You are not signed in.</p>
    <button type="button" class="primary" onClick=${signIn}>Sign in to <em>${nameOfVault()}</em></button>
  </section>`;
}

/**
 * The message that leads to the sign-in: requests wait for a token, but the dialog would take the focus of a person
 * who types; or the person has closed the dialog.
 */
export function TokenWanted() {
  const question = tokenQuestion.value;
  if (question?.shown || !(question || (isSignInNeeded.value && vault.value))) return null;
  const show = () => {
    if (question) tokenQuestion.value = { ...question, shown: true };
    else signIn();
  };
  return html`<div class="toast error" role="alert">
    <span>${question ? 'The server needs a token.' : 'You are not signed in.'}</span>
    <button type="button" class="plain" onClick=${show}>Sign in to <em>${nameOfVault()}</em>…</button>
  </div>`;
}

/** @type {[string, [string, string][]][]} */
const HELP = [
  [
    'Anywhere',
    [
      ['Ctrl K', 'Open a note, heading or tag, or run a command'],
      ['/', 'Search'],
      ['n', 'New note'],
      ['e', 'Edit the open note'],
      ['↑ ↓ Enter', 'Choose in a list'],
      ['Esc', 'Close what is open'],
      ['?', 'This help'],
    ],
  ],
  [
    'In the editor',
    [
      ['Ctrl S', 'Save'],
      ['Ctrl B, Ctrl I', 'Bold, italic'],
      ['Ctrl Enter', 'Tick the task in the line of the cursor'],
      ['Alt Enter, Ctrl click', 'Open the link at the cursor'],
      ['Ctrl E', 'Show all marks, as in the file, or only those in the line of the cursor'],
      ['Ctrl F', 'Find in the note'],
      ['Ctrl Shift V', 'Paste as plain text'],
      ['Esc', 'Finish editing; asks about unsaved text'],
    ],
  ],
  [
    'In the review',
    [
      ['j, k', 'Next line, line before'],
      ['Enter', 'Open the line, or close it'],
      ['x', 'Mark the note as viewed, or not'],
      ['u', 'Undo what was done to the note'],
      ['s', 'Mark all as seen'],
    ],
  ],
  [
    'In the search',
    [
      ['"some words"', 'these words in this order'],
      ['-word', 'without the word'],
      ['tag:recipe', 'with the tag, or one below it'],
      ['path:projects/', 'with this in the path'],
      ['[status:done]', 'with the property'],
      ['after:2026-11', 'of this date or later; also before:'],
      ['on:yesterday', 'of this date; also today, last-week …'],
    ],
  ],
  [
    'In the map',
    [
      ['g', 'Open the map, or close it'],
      ['+ − 0', 'Zoom in, zoom out, show all'],
      ['← → ↑ ↓', 'Move the picture'],
    ],
  ],
];

const ON_A_MAC = /Mac|iPhone|iPad/.test(navigator.platform);

export function Help() {
  const dialog = useModal(helpShown.value);
  return html`<dialog ref=${dialog} class="help" aria-labelledby="help-title"
    onClose=${() => (helpShown.value = false)}>
    <h2 id="help-title">Keys and search filters</h2>
    <div class="help-parts">
      ${HELP.map(
        ([title, rows]) => html`<section>
        <h3>${title}</h3>
        <dl class="keys">${rows.map(([key, what]) => html`<div><dt><kbd>${key}</kbd></dt><dd>${what}</dd></div>`)}</dl>
      </section>`,
      )}
    </div>
    ${ON_A_MAC && html`<p class="quiet">On a Mac, press ⌘ instead of Ctrl.</p>`}
    <p>A circle is a note. It is larger if more notes lead to it, and hollow if the note is linked to but not written
      yet. Click a circle to open the note, drag it to move it; the wheel zooms.</p>
    <p><a href="vendor/LICENSES.txt" target="_blank" rel="noopener">Licences of the software in this page</a></p>
    <div class="actions"><button type="button" class="primary" data-first
      onClick=${() => dialog.current.close()}>Close</button></div>
  </dialog>`;
}

/**
 * Return a ref for a dialog that is open while `shown`. The element with `data-first` gets the focus, by default the
 * first one that can have it; the browser keeps the focus in the dialog and gives it back.
 * @param {boolean} shown
 */
function useModal(shown) {
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
