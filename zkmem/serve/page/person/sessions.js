// Sign-ins with a name and a password, or with a passkey. One is for all vaults of the server: the page of each gets a
// token of its own.
import { ApiError } from '../server/error.js';
import { CAN_USE_PASSKEYS, makePasskey, usePasskey } from './passkey.js';
import { FOLDER, addressOf } from '../place.js';
import { forgetToken, keepTokenOf, otherTokens, setToken, token } from './token.js';

const KIND = document.querySelector('meta[name="sign-in"]')?.getAttribute('content');

/** Whether a person signs in with a name and a password; else with a token. */
export const HAS_PASSWORDS = KIND !== 'token';

/** Whether a person can sign in with a passkey, too: somebody has one, and this browser can use it. */
export const HAS_PASSKEYS = KIND === 'passkey' && CAN_USE_PASSKEYS;

/**
 * Send a form to the server.
 * @param {string} path
 * @param {Record<string, string>} values
 * @param {string | null} secret a token
 */
const send = (path, values, secret = null) =>
  fetch(path, {
    method: 'POST',
    body: new URLSearchParams(values),
    headers: secret ? { Authorization: `Bearer ${secret}` } : {},
  });

/** Return the answer to a form. Throw an error that says why there is none. */
async function answer(/** @type {Parameters<typeof send>} */ ...form) {
  const response = await send(...form);
  const { error, ...given } = await response.json();
  if (!response.ok) throw new ApiError(response.status, error);
  return given;
}

/**
 * Return a token for a name and a password, for a passkey, or for the token of another vault. If the person is no user
 * of this vault but of another one of the server, open that; the promise does not end then.
 * @param {Record<string, string>} values
 * @returns {Promise<string>}
 */
export async function tokenFor(values) {
  const { token: given, vault } = await answer('session', values);
  const folder = vault ? new URL(addressOf(vault)).pathname : FOLDER;
  if (folder === FOLDER) return given;
  keepTokenOf(folder, given, values.remember === 'true');
  location.href = folder;
  return new Promise(() => {});
}

/** Ask the person for a passkey, and return a token for it. */
export async function tokenForPasskey(/** @type {boolean} */ remember) {
  const passkey = await usePasskey(/** @type {any} */ (await answer('session/passkey', {})));
  return tokenFor({ passkey, remember: String(remember) });
}

/** Let the device of the person make a passkey, and add it. Return its name. */
export async function addPasskey(/** @type {string} */ name, /** @type {string} */ password) {
  const options = /** @type {any} */ (await answer('passkeys/begin', { password }, token()));
  const added = await answer('passkeys', { name, passkey: await makePasskey(options) }, token());
  return /** @type {string} */ (added.name);
}

/** @type {Promise<boolean> | null} */
let attempt = null;

/** Sign in with the token of another vault, once. Return whether that has worked. */
export const signInFromElsewhere = () => (attempt ??= HAS_PASSWORDS ? tryOthers() : Promise.resolve(false));

async function tryOthers() {
  for (const { token: other, remembered } of otherTokens()) {
    // its sign-in may have ended, or this vault has no such user
    const given = await tokenFor({ token: other }).catch(() => null);
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
