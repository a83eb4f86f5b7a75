// The shell: puts the parts of the page together.
import { effect, html, render } from './vendor/ui.js';
import { api } from './server/api.js';
import { Bar, Tabs } from './shell/bar.js';
import { isolated } from './common/bidi.js';
import { Commands } from './shell/commands.js';
import { SignIn, SignInAgain } from './person/dialogs.js';
import { Folders } from './shell/folders.js';
import { MapView, toggleMap } from './graph/later.js';
import { LISTS } from './vault/lists.js';
import { Waiting } from './common/load.js';
import { followEvents } from './server/live.js';
import { closeMap, endReplay } from './navigation.js';
import { fileOf } from './place.js';
import { Panel } from './shell/panel.js';
import { parts } from './shell/later.js';
import { helpShown, isSignInNeeded, now, route, tab, tokenQuestion, vault } from './state.js';
import { Strip } from './shell/strip.js';
import { showError } from './common/toasts.js';
import { Toasts } from './shell/announcements.js';
import { belongsToField } from './common/typing.js';
import { followProposed } from './review/proposals.js';

/** @import { Route } from './state.js' */

const MINUTE_MS = 60_000;

function App() {
  return html`<a class="skip" href="#panel" onClick=${toPanel}>To the notes</a>
    <div class=${`parts show-${tab.value}`}>
      <div class="left"><${Bar} /><${Tabs} /><${Folders} /></div>
      <div class="right">
        <${Strip} />
        <div id="panel" tabindex="-1">
          <main>${isBegun() ? html`<${Panel} />` : html`<${Waiting} what="the notes of the vault" />`}</main>
          <div class="aside" role=${tab.value === 'graph' ? 'main' : 'complementary'}
            aria-label=${tab.value === 'graph' ? 'Map' : 'Beside the note'}>
            <section id="graph" aria-label="Map">${vault.value && html`<${MapView} />`}</section>
            ${parts.value && html`<${parts.value.Side} />`}
          </div>
        </div>
      </div>
    </div>
    <${Toasts} /><${SignIn} /><${SignInAgain} /><${Commands} />${parts.value && html`<${parts.value.Dialogs} />`}`;
}

/** Return whether the view can ask for its data: before the vault is known, but not while the person has to sign in. */
const isBegun = () => vault.value !== null || !(tokenQuestion.value || isSignInNeeded.value);

function toPanel(/** @type {Event} */ event) {
  event.preventDefault(); // the address says which note is open
  tab.value = 'panel';
  document.getElementById('panel')?.focus();
}

/** The keys that work while nobody types; Escape closes a tool of the map from its fields, too. */
function onKey(/** @type {KeyboardEvent} */ event) {
  if (event.key === 'Escape' && tab.peek() === 'panel') return; // it closes what is open in the panel
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  const isInTool = event.target instanceof Element && event.target.closest('.controls, .replay');
  if (belongsToField(event) && !(event.key === 'Escape' && isInTool)) return;
  /** @type {Record<string, () => void>} */
  const keys = {
    '/': () => document.getElementById('search')?.focus(),
    '?': () => (helpShown.value = true),
    g: toggleMap,
    Escape: () => closeTool() || endReplay() || (tab.peek() === 'graph' ? closeMap() : (tab.value = 'panel')),
  };
  if (!keys[event.key]) return;
  event.preventDefault();
  keys[event.key]();
}

/** Close the open tool of the map, if there is one; the focus goes to its button. Return whether there was one. */
function closeTool() {
  const tool = document.querySelector('.controls[open]');
  if (!(tool instanceof HTMLDetailsElement)) return false;
  tool.querySelector('summary')?.focus();
  tool.open = false;
  return true;
}

/** Return the parts of the window's title. */
function titleParts(/** @type {Route} */ { view, name, list, at }, /** @type {string} */ vaultName) {
  /** @type {Record<string, string | undefined>} */
  const kinds = {
    history: 'History',
    review: 'Review',
    tidy: 'Tidy',
    map: list === null ? 'Map' : 'Replay',
    search: `Search: ${list}`,
    list: LISTS[list ?? '']?.title,
  };
  const kind = kinds[view];
  return [name, at && 'As it was', kind, vaultName, 'zkmem'].filter(Boolean).map((part) => isolated(String(part)));
}

async function start() {
  render(html`<${App} />`, document.body);
  addEventListener('keydown', onKey);
  const { name } = (vault.value = await api.vault());
  effect(() => {
    document.title = titleParts(route.value, name).join(' – ');
  });
  setInterval(() => (now.value = Date.now()), MINUTE_MS);
  followProposed();
  followEvents();
}

start().catch(showError);

// The service worker, where the browser allows one: with HTTPS, or on this machine. The page works without it.
addEventListener('load', () => {
  const version = fileOf('.').split('/').at(-2); // with the next one, the browser starts another service worker
  navigator.serviceWorker?.register(`serviceworker.js?${version}`).catch(() => {}); // the person may have forbidden it
});
