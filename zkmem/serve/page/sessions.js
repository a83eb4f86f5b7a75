// Sign-ins with a name and a password. One is for all vaults of the server: the page of each gets a token of its own.
import { ApiError } from './apierror.js';
import { forgetToken, otherTokens, setToken, token } from './token.js';

/** Whether a person signs in with a name and a password; else with a token. */
export const HAS_PASSWORDS = document.querySelector('meta[name="sign-in"]')?.getAttribute('content') === 'password';

/** Send a form to the server, with no token. */
const send = (/** @type {string} */ path, /** @type {Record<string, string>} */ values) =>
  fetch(path, { method: 'POST', body: new URLSearchParams(values) });

/**
 * Return a token for a name and a password, or for the token of another vault. Throw an error that says why there is
 * none.
 * @param {Record<string, string>} values
 * @returns {Promise<string>}
 */
export async function tokenFor(values) {
  const response = await send('session', values);
  const { token: given, error } = await response.json();
  if (!response.ok) throw new ApiError(response.status, error);
  return given;
}

/** @type {Promise<boolean> | null} */
let asked = null;

/** Sign in with the token of another vault, once. Return whether that has worked. */
export const signInFromElsewhere = () => (asked ??= HAS_PASSWORDS ? tryOthers() : Promise.resolve(false));

async function tryOthers() {
  for (const { token: other, remembered } of otherTokens()) {
    const given = await tokenFor({ token: other }).catch(() => null); // it may have ended, or the user is none here
    if (!given) continue;
    setToken(given, remembered);
    return true;
  }
  return false;
}

/** End the sign-in, to all vaults of the server. */
export async function endSignIn() {
  const used = token();
  if (!HAS_PASSWORDS) return forgetToken();
  const others = otherTokens().map((one) => ({ ...one, end: one.folder.startsWith('/v/') ? one.folder : '' }));
  forgetToken(true);
  const ends = [{ end: '', token: used }, ...others].map(
    (one) => one.token && send(`${one.end}revoke`, { client_id: 'page', token: one.token }).catch(() => {}),
  );
  await Promise.all(ends);
}
