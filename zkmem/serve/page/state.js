// What the parts of the page know together: the vault, where one is, what changed last.
import { batch, signal } from './vendor/ui.js';
import { ApiError, encodeName } from './api.js';

/** The answer of GET /vault; null until it is there. */
export const vault = signal(null);

/**
 * The last live event: `names` (null: any note may have changed), `by` which client (null: unknown), and `at` in
 * milliseconds since 1970 (0: there was none).
 */
export const changed = signal({ names: [], by: null, at: 0 });

/** Where the address says one is: `{ view: 'note' | 'list' | 'history' | '', name, list }`. */
export const route = signal(parse(location.hash));

/** Set while leaving would lose something: a function that (or whose promise) says whether to leave. */
export const confirmLeave = signal(null);

/** Short messages, newest last: `{ id, message, kind: 'info' | 'error' }`. */
export const toasts = signal([]);

/** On a phone one of the two is seen: 'graph' or 'panel'. */
export const tab = signal(route.value.view ? 'panel' : 'graph');

/** 'connecting', 'live' or 'off': whether changes made elsewhere arrive. */
export const connection = signal('connecting');

/** Counts up when the colours of the page change. */
export const themeChanged = signal(0);

/** The nonce that the server's policy allows styles with, for the editor. */
export const styleNonce = document.querySelector('meta[name="style-nonce"]')?.getAttribute('content') ?? '';

/** Whether the person may write a note of this name. */
export function canWrite(name) {
  const { can_write: may = false, folder = '' } = vault.value ?? {};
  return may && (!folder || name.startsWith(`${folder}/`));
}

export const noteHash = (name) => `#/note/${encodeName(name)}`;

export const historyHash = (name) => `#/history/${encodeName(name)}`;

/** Go to a note. */
export const open = (name) => go(noteHash(name));

/** Go to an address of the page: '#/list/hints', '#/history', '' (nowhere). */
export function go(hash) {
  if (parse(hash).view) tab.value = 'panel';
  location.hash = hash;
}

let lastToast = 0;

/** Say something short; an error stays until it is closed. */
export function toast(message, kind = 'info') {
  const id = (lastToast += 1);
  toasts.value = [...toasts.value.slice(-3), { id, message, kind }];
  if (kind !== 'error') setTimeout(() => dismiss(id), 6000);
}

/** Say what the server refused; anything else is a fault of ours, for the console. */
export function tell(error) {
  if (!(error instanceof ApiError)) throw error;
  toast(error.message, 'error');
}

export const dismiss = (id) => {
  toasts.value = toasts.value.filter((one) => one.id !== id);
};

function parse(hash) {
  const [view = '', ...rest] = hash.replace(/^#\/?/, '').split('/');
  const value = decoded(rest.join('/'));
  if (view === 'note' && value) return { view, name: value, list: null };
  if (view === 'list' && value) return { view, name: null, list: value };
  if (view === 'history') return { view, name: value || null, list: null };
  return { view: '', name: null, list: null };
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // a lone % that somebody typed
  }
}

/** The address that is shown, and its place among those of this tab: a refused step is taken back from where it led. */
let here = null;

const placeNow = () => history.state?.place ?? here.place + 1; // a link makes a place that bears no number yet

function arrive() {
  here = { hash: location.hash, place: here ? placeNow() : (history.state?.place ?? 0) };
  history.replaceState({ place: here.place }, '');
}

async function follow() {
  if (location.hash === here.hash) return;
  if (confirmLeave.value && !(await confirmLeave.value())) {
    if (location.hash !== here.hash) history.go(here.place - placeNow());
    return;
  }
  arrive();
  batch(() => {
    confirmLeave.value = null;
    route.value = parse(location.hash);
    if (route.value.view) tab.value = 'panel';
  });
}

/** Write the address of the note that is shown in another way: no step that one could take back. */
export function correct(hash) {
  history.replaceState(history.state, '', hash);
  arrive();
  route.value = parse(hash);
}

arrive();

addEventListener('hashchange', follow);
addEventListener('beforeunload', (event) => {
  if (confirmLeave.value) event.preventDefault();
});
