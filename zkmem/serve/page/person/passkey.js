// Passkeys: the browser asks the person, and a device makes or uses one. The page that asks for consent uses this, too.

/** Whether this browser can make and use passkeys. */
export const CAN_USE_PASSKEYS = typeof globalThis.PublicKeyCredential?.parseRequestOptionsFromJSON === 'function';

/** @type {Record<string, string>} */
const REASONS = {
  InvalidStateError: 'This device has a passkey of yours already.',
  NotAllowedError: 'No passkey came: the question was closed or took too long, or there is no passkey for this server.',
  SecurityError: 'Passkeys work at the public address of the server only.',
};

/** Ask the person to use a passkey. Return the answer for the server, as text. */
export const usePasskey = (/** @type {PublicKeyCredentialRequestOptionsJSON} */ options) =>
  asked(() => navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options) }));

/** Ask the person to make a passkey. Return the answer for the server, as text. */
export const makePasskey = (/** @type {PublicKeyCredentialCreationOptionsJSON} */ options) =>
  asked(() => navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options) }));

/** Return what a question to the person gives. Throw an error with a sentence. */
async function asked(/** @type {() => Promise<Credential | null>} */ ask) {
  try {
    return JSON.stringify(await ask());
  } catch (error) {
    if (!(error instanceof DOMException)) throw error;
    throw new Error(REASONS[error.name] ?? error.message, { cause: error });
  }
}
