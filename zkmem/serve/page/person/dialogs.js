// Signing in and out.
import { html, useState } from '../vendor/ui.js';
import { isAccepted } from '../server/api.js';
import { ApiError } from '../server/error.js';
import { forgetPositions } from '../graph/positions.js';
import { ErrorMessage } from '../common/load.js';
import { useAction } from '../common/preview.js';
import { useModal } from '../common/modal.js';
import { useElement } from '../common/refs.js';
import { fileOf } from '../place.js';
import { HAS_PASSKEYS, HAS_PASSWORDS, endSignIn, tokenFor, tokenForPasskey } from './sessions.js';
import { confirmLeave, isSignInNeeded, tokenQuestion, vault } from '../state.js';
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
