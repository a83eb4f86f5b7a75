// The actions that the page offers everywhere, whatever it shows.
import { useActions } from './actions.js';
import { isolated } from '../common/bidi.js';
import { signIn, signOut, signedIn } from '../person/dialogs.js';
import { toggleMap } from '../graph/later.js';
import { LISTS } from '../vault/lists.js';
import { go, openVault } from '../navigation.js';
import { creating, helpShown, signInsShown, undoing, vault } from '../state.js';
import { nextTheme } from './theme.js';

/** @import { Action } from './actions.js' */

/** The lists that every vault has; the tree of folders offers the tables. */
const LISTED = Object.keys(LISTS).filter((key) => key !== 'bases');

/** Offers the actions; it shows nothing. */
export function Commands() {
  useActions(commands());
  return null;
}

/** The names of the other vaults that the person may open. */
const others = () => (vault.value?.vaults ?? []).filter((name) => name !== vault.value?.name);

/** @returns {Action[]} */
export function commands() {
  const mayWrite = vault.value?.can_write;
  return [
    ...(mayWrite ? [{ title: 'New note…', key: 'n', act: () => (creating.value = '') }] : []),
    { title: 'Search', hint: '/', act: () => document.getElementById('search')?.focus() },
    { title: 'Whole map', hint: 'g', act: toggleMap },
    { title: 'Home', act: () => go('') },
    { title: 'Review: what changed', act: () => go('#/review') },
    { title: 'Tidy: what to mend', act: () => go('#/tidy') },
    { title: 'History of all edits', act: () => go('#/history') },
    ...(mayWrite ? [{ title: 'Undo the last edit…', act: () => (undoing.value = 'undo') }] : []),
    ...LISTED.map((key) => ({ title: LISTS[key].title, act: () => go(`#/list/${key}`) })),
    { title: 'Change the colours: light, dark, like the system', act: nextTheme },
    { title: 'Keys and search filters', hint: '?', act: () => (helpShown.value = true) },
    ...others().map((name) => ({ title: `Open the vault ${isolated(name)}`, act: () => openVault(name) })),
    ...(vault.value?.person ? [{ title: 'Your sign-ins', act: () => (signInsShown.value = true) }] : []),
    ...(signedIn() ? [{ title: 'Sign out', act: signOut }] : []),
    ...(vault.value ? [] : [{ title: 'Sign in', act: signIn }]),
  ];
}
