// The notes that the person pinned. This browser keeps them, for each vault.
import { effect } from '../vendor/ui.js';
import { pinned, vault } from '../state.js';

const MOST = 100;
const key = () => `zkmem:pinned:${vault.value?.name ?? ''}`;

export const isPinned = (/** @type {string} */ name) => pinned.value.includes(name);

/** Pin a note, or unpin it. */
export function togglePin(/** @type {string} */ name) {
  const others = pinned.peek().filter((one) => one !== name);
  pinned.value = others.length < pinned.peek().length ? others : [...others, name].slice(-MOST);
  localStorage.setItem(key(), JSON.stringify(pinned.peek()));
}

/** Give a pinned note its new name. */
export function renamePin(/** @type {string} */ name, /** @type {string} */ newName) {
  if (!pinned.peek().includes(name)) return;
  pinned.value = [...new Set(pinned.peek().map((one) => (one === name ? newName : one)))];
  localStorage.setItem(key(), JSON.stringify(pinned.peek()));
}

effect(() => {
  if (!vault.value) return;
  const stored = JSON.parse(localStorage.getItem(key()) ?? '[]');
  pinned.value = Array.isArray(stored) ? stored.filter((name) => typeof name === 'string') : [];
});
