// Addresses of the page: what each shows, how to go to one, and the question before unsaved text is left.
import { batch } from './vendor/ui.js';
import { encodeName } from './server/api.js';
import { forgetPlaces, rememberPlace } from './note/places.js';
import { addressOf } from './place.js';
import { address, confirmLeave, route, tab } from './state.js';

/**
 * @import { Filter } from './review/brief.js'
 * @import { Route, Then } from './state.js'
 */

/**
 * Return the address of a note, or of the heading or block in it that a subpath names; by default, of the note now.
 * @param {string} name
 * @param {string} subpath
 * @param {Partial<Then>} then
 */
export function noteHash(name, subpath = '', { at = '', named = '' } = {}) {
  const moment = at && `${named || 'at'}=${encodeURIComponent(at)}`;
  const more = [moment, encodeURIComponent(subpath)].filter(Boolean).join('&');
  return `#/note/${encodeName(name)}${more && `?${more}`}`;
}

/** Return the address of a note that the open one names: now, or at the moment at which the open one is shown. */
export const linkHash = (/** @type {string} */ name, subpath = '') =>
  noteHash(name, subpath, { at: route.value.at, named: 'then' });

/** Return the address of a heading or block in the open note. */
export const placeHash = (/** @type {string} */ subpath) => noteHash(route.value.name ?? '', subpath, route.value);

/** Return the address of the list of notes with a tag. */
export const tagHash = (/** @type {string} */ tag) => `#/tag/${encodeURIComponent(tag)}`;

/** Return the address of all results of a search. */
export const searchHash = (/** @type {string} */ query) => `#/search/${encodeURIComponent(query)}`;

/** Return the address of the lines of the review with these values; by default, of all. */
export function reviewHash(/** @type {Filter} */ filter = {}) {
  const query = new URLSearchParams(Object.entries(filter).filter(([, value]) => value)).toString();
  return `#/review${query && `?${query}`}`;
}

/**
 * Return the address of a replay on the map: of what the person has not seen ('unseen'), of what has happened since a
 * date or a word such as 'yesterday', or of the sitting of the edit with a number.
 */
export const replayHash = (/** @type {string} */ which) => `#/map?replay=${encodeURIComponent(which)}`;

/** Return the address of a note's history. */
export const historyHash = (/** @type {string} */ name) => `#/history/${encodeName(name)}`;

/** Return the address of the edit with a number. */
export const editHash = (/** @type {string} */ number) => `#/edit/${number}`;

/** Return the address of a view of a .base file; by default, of its first view. */
export const baseHash = (/** @type {string} */ path, view = '') =>
  `#/base/${encodeName(path)}${view ? `?${encodeURIComponent(view)}` : ''}`;

/** Go to a note. */
export const open = (/** @type {string} */ name) => go(noteHash(name));

/** Go to an address of the page: '#/list/hints', '#/history', '' (nothing is open). */
export function go(/** @type {string} */ hash) {
  tab.value = 'panel';
  location.hash = hash;
}

const tabOf = (/** @type {Route} */ { view }) => (view === 'map' ? 'graph' : 'panel');

/** Leave the map for what was there before it. */
export function closeMap() {
  if (route.peek().view !== 'map') tab.value = 'panel';
  else if (address.peek().position > 0) history.back();
  else go('#/');
}

/** Show the map as it is now, if a replay is shown. Return whether there was one. */
export function endReplay() {
  const { view, list } = route.peek();
  const isReplay = view === 'map' && list !== null;
  if (isReplay) correctAddress('#/map');
  return isReplay;
}

/** Replace the address that is shown by another spelling of it, without a step in the history. */
export function correctAddress(/** @type {string} */ hash) {
  history.replaceState(history.state, '', hash);
  rememberAddress();
  route.value = parse(hash);
}

/**
 * Return what an address of the page shows.
 * @returns {Route}
 */
export function parse(/** @type {string} */ hash) {
  const [start = '', ...rest] = hash.replace(/^#\/?/, '').split('/');
  const [view, filter = ''] = start.split('?');
  const [path, more = ''] = rest.join('/').split('?');
  if (view === 'base') return { ...HOME, view, name: decoded(path), list: decoded(more) };
  if (view === 'note' && path) return { ...HOME, view, name: decoded(path), ...placeIn(more) };
  const value = decoded(rest.join('/'));
  if ((view === 'list' || view === 'tag') && value) return { ...HOME, view, list: value };
  if (view === 'search') return { ...HOME, view, list: value };
  if (view === 'review') return { ...HOME, view, list: filter };
  if (view === 'map') return { ...HOME, view, list: new URLSearchParams(filter).get('replay') };
  if (view === 'tidy') return { ...HOME, view };
  if (view === 'edit' && /^\d+$/.test(value)) return { ...HOME, view: 'history', list: value };
  if (view === 'history') return { ...HOME, view, name: value || null };
  return HOME;
}

/** @type {Route} */
const HOME = { view: '', name: null, list: null, subpath: '', at: '', named: '' };

/**
 * Return the moment and the subpath in the part of a note's address after the `?`: `at=12&%23Heading`.
 * @returns {Then & { subpath: string }}
 */
function placeIn(/** @type {string} */ more) {
  const [, key, at = '', subpath = more] = /^(at|then)=([^&]*)&?(.*)$/s.exec(more) ?? [];
  return { at: decoded(at), named: key === 'then' ? key : '', subpath: decoded(subpath) };
}

/** Return a text of an address without its escapes. */
export function decoded(/** @type {string} */ text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // a lone % that somebody typed
  }
}

/** Return the position of the address in the history of this tab; a link leads to one that has no number yet. */
const positionNow = () => history.state?.place ?? address.peek().position + 1;

function rememberAddress(position = positionNow()) {
  address.value = { hash: location.hash, position };
  history.replaceState({ place: position }, '');
}

/** Show what the address names now, or go back if the person wants to stay. */
async function showAddress() {
  if (location.hash === address.peek().hash) return;
  const next = parse(location.hash);
  const { view, name, at } = route.peek();
  const isInside = view === 'note' && next.view === view && next.name === name && next.at === at;
  if (!isInside && confirmLeave.value && !(await confirmLeave.value())) {
    const { hash, position } = address.peek();
    if (location.hash !== hash) history.go(position - positionNow());
    return;
  }
  rememberPlace();
  if (history.state?.place === undefined) forgetPlaces(positionNow());
  rememberAddress();
  batch(() => {
    if (!isInside) confirmLeave.value = null;
    route.value = next;
    tab.value = tabOf(next);
  });
}

rememberAddress(history.state?.place ?? 0);
route.value = parse(location.hash);
tab.value = tabOf(route.value);

addEventListener('hashchange', showAddress);
addEventListener('beforeunload', (event) => {
  if (confirmLeave.value) event.preventDefault();
});

/** Open another vault of the server. Return false if the person stays to save what was typed. */
export async function openVault(/** @type {string} */ name) {
  if (confirmLeave.value && !(await confirmLeave.value())) return false;
  confirmLeave.value = null;
  location.href = addressOf(name);
  return true;
}
