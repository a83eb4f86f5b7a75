// The top of the left column: the vault, the search, the tools of the page; and the links to its three parts.
import { html } from '../vendor/ui.js';
import { signOut, signedIn } from '../person/dialogs.js';
import { toggleMap } from '../graph/later.js';
import { openVault } from '../navigation.js';
import { SearchBox } from '../search/box.js';
import { connection, creating, helpShown, paletteShown, route, signInsShown, tab, theme } from '../state.js';
import { unseen, vault } from '../state.js';
import { nextTheme } from './theme.js';
import { KINDS } from '../vault/tidy.js';
import { waitingCount } from '../review/proposals.js';

const THEMES = { auto: ['◐', 'like the system'], light: ['☀', 'light'], dark: ['☾', 'dark'] };

/** The address of the icon; in the bundle it has the picture itself. */
const iconAddress = document.querySelector('link[rel="icon"]')?.getAttribute('href') ?? '';

export function Bar() {
  const [sign, name] = THEMES[theme.value];
  return html`<header class="bar">
    <${Brand} />
    <div class="tools">
      <span class=${`connection ${connection.value}`} role="status">${
        connection.value === 'off' && html`<i aria-hidden="true"></i><span>Not connected</span>`
      }</span>
      ${
        vault.value?.can_write &&
        html`<button type="button" class="new-note" onClick=${() => (creating.value = '')} aria-label="New note"
          aria-keyshortcuts="n" title="New note (n)">+</button>`
      }
      <button type="button" onClick=${nextTheme} aria-label=${`Colours: ${name}`}
        title=${`Colours: ${name}`}>${sign}</button>
      <button type="button" onClick=${() => (helpShown.value = true)} aria-label="Help" title="Help (?)">?</button>
    </div>
    <div class="seek"><${SearchBox} /><${PaletteButton} /></div>
    ${
      vault.value?.token &&
      signedIn() &&
      html`<p class="signed"><span>${vault.value.person ?? vault.value.token}</span>${
        vault.value.person &&
        html`<button type="button" class="plain" onClick=${() => (signInsShown.value = true)}>Sign-ins</button>`
      }<button type="button" class="plain" onClick=${signOut}>Sign out</button></p>`
    }
  </header>`;
}

/** The name of the vault; if the person may open other vaults of the server, a choice of them. */
function Brand() {
  const { name = 'zkmem', vaults = [] } = vault.value ?? {};
  const icon = html`<img src=${iconAddress} alt=${vaults.length > 1 ? 'Home' : ''} width="24" height="24" />`;
  if (vaults.length < 2) {
    return html`<a class="brand" href="#" title="Home" onClick=${toPanel}>${icon}<h1>${name}</h1></a>`;
  }
  const choose = async (/** @type {{ currentTarget: HTMLSelectElement }} */ { currentTarget: select }) => {
    if (!(await openVault(select.value))) select.value = name;
  };
  return html`<div class="brand">
    <a href="#" title="Home" onClick=${toPanel}>${icon}</a>
    <h1><select aria-label="Vault" title="Open another vault" value=${name} onChange=${choose}>
      ${vaults.map((one) => html`<option key=${one} value=${one}>${one}</option>`)}
    </select></h1>
  </div>`;
}

const toPanel = () => (tab.value = 'panel'); // also if the address stays the same

/** Links to the parts of the page; a button for the map, and on a phone one for the folders. */
export function Tabs() {
  const { view, list } = route.value;
  const isTidy = view === 'tidy' || (view === 'list' && list !== null && list in KINDS);
  const isTree = tab.value === 'folders';
  const link = (/** @type {string} */ href, /** @type {string} */ text, /** @type {boolean} */ here, count = 0) =>
    html`<a href=${href} aria-current=${here && tab.value === 'panel' ? 'page' : undefined} onClick=${toPanel}>
      <span>${text}</span>${count > 0 && html`<small>(${count})</small>`}
    </a>`;
  const button = (/** @type {string} */ text, /** @type {boolean} */ here, /** @type {() => void} */ act, kind = '') =>
    html`<button type="button" class=${kind} aria-pressed=${here} onClick=${act}>${text}</button>`;
  return html`<nav class="tabs" aria-label="Parts">
    ${link('#', 'Home', view === '')}
    ${link('#/review', 'Review', view === 'review' || view === 'history', (unseen.value ?? 0) + waitingCount())}
    ${link('#/tidy', 'Tidy', isTidy)}
    ${button('Folders', isTree, () => (tab.value = isTree ? 'panel' : 'folders'), 'folders-tab')}
    ${button('Map', tab.value === 'graph', toggleMap)}
  </nav>`;
}

/** A button that opens the palette, for those who do not know its key or have no keyboard. */
const PaletteButton = () =>
  html`<button
    type="button"
    class="to-palette"
    aria-label="Commands"
    title="Commands (Ctrl K)"
    aria-keyshortcuts="Control+K Meta+K"
    onClick=${() => (paletteShown.value = true)}
  >
    ⌘
  </button>`;
