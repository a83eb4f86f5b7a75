// The shell: puts the parts of the page together.
import { effect, html, render } from './vendor/ui.js';
import { api } from './api.js';
import { Bar, PanelTabs, PhoneTabs, Toasts } from './bar.js';
import { Help, SignIn, helpShown } from './dialogs.js';
import { GraphView, focusInGraph, refreshGraph } from './graph.js';
import { LISTS } from './lists.js';
import { follow, paced } from './live.js';
import { Panel } from './panel.js';
import { changed, route, tab, tell, vault } from './state.js';
import { ownsKeys } from './typing.js';

function App() {
  return html`<a class="skip" href="#panel" onClick=${toPanel}>To the notes</a>
    <${Bar} />
    <div class=${`parts show-${tab.value}`}>
      <main id="graph" aria-label="Graph">${vault.value && html`<${GraphView} />`}</main>
      <aside id="panel" aria-label="Notes" tabindex="-1"><${PanelTabs} />${vault.value && html`<${Panel} />`}</aside>
    </div>
    <${PhoneTabs} /><${Toasts} /><${SignIn} /><${Help} />`;
}

function toPanel(event) {
  event.preventDefault(); // the address says which note is open
  document.getElementById('panel').focus();
}

/** Keys that work wherever one does not write. */
function onKey(event) {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
  if (ownsKeys(event.target)) return;
  const keys = {
    '/': () => document.getElementById('search').focus(),
    '?': () => (helpShown.value = true),
    g: () => route.value.name && focusInGraph(route.value.name),
  };
  if (!keys[event.key]) return;
  event.preventDefault();
  keys[event.key]();
}

/** What the title of the window says of a route. */
function named({ view, name, list }) {
  const kind = { history: 'History', list: LISTS[list]?.title }[view];
  return [name, kind].filter(Boolean);
}

async function start() {
  render(html`<${App} />`, document.body);
  addEventListener('keydown', onKey);
  vault.value = await api.get('vault');
  effect(() => {
    document.title = [...named(route.value), vault.value.name, 'zkmem'].join(' – ');
  });
  const refresh = paced((names) => refreshGraph(names).catch(tell));
  effect(() => {
    if (changed.value.at > 0) refresh(changed.value.names);
  });
  follow(() => refresh([]));
}

start().catch(tell);
