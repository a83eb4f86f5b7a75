// Where a browser keeps the token of the person, for the page of each vault. A person may have switched off a storage.
import { FOLDER } from '../place.js';

export const PREFIX = 'zkmem-token:';
export const KEY = `${PREFIX}${FOLDER}`;

export const tab = () => sessionStorage;
export const device = () => localStorage;

/** Return the value in a storage. */
export function read(/** @type {() => Storage} */ storage, /** @type {string} */ key) {
  try {
    return storage().getItem(key);
  } catch {
    return null;
  }
}

/** Return the token of this tab or of this device; null without one. */
export const keptToken = () => read(tab, KEY) ?? read(device, KEY);
