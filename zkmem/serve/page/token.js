// The token that the page sends: kept for this tab or, if the person wants it, on this device. It is in the storage of
// this origin and not in a cookie: a browser would send a cookie to every port of this host, and by itself.
import { tokensGiven } from './state.js';

const TAB = 'zkmem-token';
const FOLDER = new URL('.', location.href).pathname; // several vaults may have one origin, each below its own path
const DEVICE = `zkmem-token:${FOLDER}`;
const tabs = new BroadcastChannel(`zkmem:${FOLDER}`);
const SIGNED_OUT = 'signed out';

/** Return the value in a storage, which the browser may have switched off. */
function read(/** @type {() => Storage} */ storage, /** @type {string} */ key) {
  try {
    return storage().getItem(key);
  } catch {
    return null;
  }
}

/** Write or, with null, remove a value in a storage. Without a storage, the page asks again after a reload. */
function write(/** @type {() => Storage} */ storage, /** @type {string} */ key, /** @type {string | null} */ value) {
  try {
    if (value === null) storage().removeItem(key);
    else storage().setItem(key, value);
  } catch {
    // the storage is switched off
  }
}

const tab = () => sessionStorage;
const device = () => localStorage;
let inMemory = read(tab, TAB) ?? read(device, DEVICE);

/** Return the token to send; null for none. */
export const token = () => inMemory;

/** Use this token from now on. `remember`: also in new tabs, and after the browser was closed. */
export function setToken(/** @type {string} */ value, remember = false) {
  inMemory = value;
  write(tab, TAB, value);
  write(device, DEVICE, remember ? value : null);
  tokensGiven.value += 1;
}

/** Forget the token in every tab of this vault. */
export function forgetToken() {
  drop();
  write(device, DEVICE, null);
  tabs.postMessage(SIGNED_OUT);
}

function drop() {
  inMemory = null;
  write(tab, TAB, null);
}

/** Call `act` after the person has signed out in another tab. */
export function onSignedOut(/** @type {() => void} */ act) {
  tabs.addEventListener('message', ({ data }) => {
    if (data !== SIGNED_OUT) return;
    drop();
    act();
  });
}

/** Call `act` after the person has signed in on this device in another tab. */
export function onSignedIn(/** @type {() => void} */ act) {
  addEventListener('storage', ({ key, newValue }) => {
    if (key !== DEVICE || !newValue || newValue === inMemory) return;
    inMemory = newValue;
    write(tab, TAB, newValue);
    tokensGiven.value += 1;
    act();
  });
}

/** Return a promise that resolves when the page gets a token the next time. */
export function tokenGiven() {
  const before = tokensGiven.peek();
  return new Promise((resolve) => {
    const stop = tokensGiven.subscribe((count) => {
      if (count === before) return;
      resolve(undefined);
      queueMicrotask(() => stop());
    });
  });
}
