// The shell: puts the parts of the page together.
import { effect, html, render } from './vendor/ui.js';
import { api } from './api.js';
import { Bar, PanelTabs, PhoneTabs, Toasts } from './bar.js';
import { Commands } from './commands.js';
import { Help, SignIn, SignInAgain } from './dialogs.js';
import { GraphView, focusInGraph, refreshGraph } from './graph.js';
import { HoverCard } from './hover.js';
import './installed.js';
import { LISTS } from './lists.js';
import { followEvents, throttled } from './live.js';
import './navigation.js';
import { NewNote } from './newnote.js';
import { Palette } from './palette.js';
import { Panel } from './panel.js';
import { changed, helpShown, route, tab, vault } from './state.js';
import { Strip } from './strip.js';
import { showError } from './toasts.js';
import { belongsToField } from './typing.js';
import { UndoLast } from './undolast.js';

/** @import { Route } from './state.js' */

function App() {
  return html`<a class="skip" href="#panel" onClick=${toPanel}>To the notes</a>
    <${Bar} /><${Strip} />
    <div class=${`parts show-${tab.value}`}>
      <main id="graph" aria-label="Graph">${vault.value && html`<${GraphView} />`}</main>
      <aside id="panel" aria-label="Notes" tabindex="-1"><${PanelTabs} />${vault.value && html`<${Panel} />`}</aside>
    </div>
    <${PhoneTabs} /><${Toasts} /><${SignIn} /><${SignInAgain} /><${Help} />
    <${Commands} /><${Palette} /><${NewNote} /><${UndoLast} /><${HoverCard} />`;
}

function toPanel(/** @type {Event} */ event) {
  event.preventDefault(); // the address says which note is open
  document.getElementById('panel')?.focus();
}

/** The keys that work while nobody types. */
function onKey(/** @type {KeyboardEvent} */ event) {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
  if (belongsToField(event)) return;
  /** @type {Record<string, () => void>} */
  const keys = {
    '/': () => document.getElementById('search')?.focus(),
    '?': () => (helpShown.value = true),
    g: () => {
      if (route.value.name) focusInGraph(route.value.name);
    },
  };
  if (!keys[event.key]) return;
  event.preventDefault();
  keys[event.key]();
}

/** Return the parts of the window's title. */
function titleParts(/** @type {Route} */ { view, name, list }, /** @type {string} */ vaultName) {
  /** @type {Record<string, string | undefined>} */
  const kinds = { history: 'History', review: 'Review', list: LISTS[list ?? '']?.title };
  const kind = kinds[view];
  return [name, kind, vaultName, 'zkmem'].filter(Boolean);
}

async function start() {
  render(html`<${App} />`, document.body);
  addEventListener('keydown', onKey);
  const { name } = (vault.value = await api.vault());
  effect(() => {
    document.title = titleParts(route.value, name).join(' – ');
  });
  const refresh = throttled((names) => refreshGraph(names).catch(showError));
  effect(() => {
    if (changed.value.at > 0) refresh(changed.value.names);
  });
  followEvents(() => refresh([]));
}

start().catch(showError);
