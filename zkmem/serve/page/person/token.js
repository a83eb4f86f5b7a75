// The token that the page sends: kept for this tab or, if the person wants it, on this device. It is in the storage of
// this origin and not in a cookie: a browser would send a cookie to every port of this host, and by itself.
import { KEY, PREFIX, device, keptToken, read, tab } from './kept.js';
import { FOLDER } from '../place.js';
import { tokensGiven } from '../state.js';

const tabs = new BroadcastChannel('zkmem:signed-out'); // the path of a vault, or `ALL`
const ALL = '*';

/** Write or, with null, remove a value in a storage. Without a storage, the page asks again after a reload. */
function write(/** @type {() => Storage} */ storage, /** @type {string} */ key, /** @type {string | null} */ value) {
  try {
    if (value === null) storage().removeItem(key);
    else storage().setItem(key, value);
  } catch {
    // the storage is switched off
  }
}

let inMemory = keptToken();

/** Return the token to send; null for none. */
export const token = () => inMemory;

/** Use this token from now on. `remember`: also in new tabs, and after the browser was closed. */
export function setToken(/** @type {string} */ value, remember = false) {
  inMemory = value;
  keepTokenOf(FOLDER, value, remember);
  tokensGiven.value += 1;
}

/** Keep a token for the page of the vault at a path. */
export function keepTokenOf(/** @type {string} */ folder, /** @type {string} */ value, remember = false) {
  write(tab, PREFIX + folder, value);
  write(device, PREFIX + folder, remember ? value : null);
}

/**
 * Return the tokens of the other vaults of this origin, with the path of each.
 * @returns {{ folder: string, token: string, remembered: boolean }[]}
 */
export function otherTokens() {
  return keys()
    .filter((key) => key !== KEY)
    .map((key) => {
      const kept = read(device, key);
      return { folder: key.slice(PREFIX.length), token: kept ?? read(tab, key) ?? '', remembered: kept !== null };
    });
}

/** Return the keys of all tokens in this tab and on this device. The browser may have switched off a storage. */
function keys() {
  const found = [tab, device].flatMap((storage) => {
    try {
      return Object.keys(storage());
    } catch {
      return [];
    }
  });
  return [...new Set(found)].filter((key) => key.startsWith(PREFIX));
}

/** Forget the token in every tab of this vault; with `all`, those of all vaults in every tab of this origin. */
export function forgetToken(all = false) {
  if (all) dropAll();
  drop();
  write(device, KEY, null);
  tabs.postMessage(all ? ALL : FOLDER);
}

function dropAll() {
  for (const key of keys()) for (const storage of [tab, device]) write(storage, key, null);
}

function drop() {
  inMemory = null;
  write(tab, KEY, null);
}

/** Call `act` after the person has signed out in another tab. */
export function onSignedOut(/** @type {() => void} */ act) {
  tabs.addEventListener('message', ({ data }) => {
    if (data !== FOLDER && data !== ALL) return;
    if (data === ALL) dropAll();
    drop();
    act();
  });
}

/** Call `act` after the person has signed in on this device in another tab. */
export function onSignedIn(/** @type {() => void} */ act) {
  addEventListener('storage', ({ key, newValue }) => {
    if (key !== KEY || !newValue || newValue === inMemory) return;
    inMemory = newValue;
    write(tab, KEY, newValue);
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
