// The bar at the top, the tabs of the panel, and short messages.
import { html } from './vendor/ui.js';
import { TokenWanted, signOut, signedIn } from './dialogs.js';
import { noteHash } from './navigation.js';
import { PaletteButton } from './palette.js';
import { isOwn } from './past.js';
import { SearchBox } from './search.js';
import { changed, connection, helpShown, route, tab, theme, toasts, unseen, vault } from './state.js';
import { nextTheme } from './theme.js';
import { dismiss } from './toasts.js';

const THEMES = { auto: ['◐', 'like the system'], light: ['☀', 'light'], dark: ['☾', 'dark'] };
const CONNECTION = { live: 'Live: changes appear at once', connecting: 'Connecting', off: 'Not connected' };

export function Bar() {
  const [sign, name] = THEMES[theme.value];
  return html`<header>
    <a class="brand" href="#" title="zkmem"><img src="icon.svg" alt="" width="24" height="24" />
      <h1>${vault.value?.name ?? 'zkmem'}</h1></a>
    <${SearchBox} />
    <div class="tools">
      <span class=${`connection ${connection.value}`} role="status" title=${CONNECTION[connection.value]}>
        <i aria-hidden="true"></i><span>${connection.value === 'off' ? 'Not connected' : ''}</span>
        <span class="unseen">${connection.value === 'off' ? '' : CONNECTION[connection.value]}</span>
      </span>
      <${PaletteButton} />
      <button type="button" onClick=${nextTheme} aria-label=${`Colours: ${name}`}
        title=${`Colours: ${name}`}>${sign}</button>
      <button type="button" onClick=${() => (helpShown.value = true)} aria-label="Help" title="Help (?)">?</button>
      ${
        vault.value?.token &&
        signedIn() &&
        html`<button type="button" onClick=${signOut}
        title=${`Signed in as ${vault.value.token}`}>Sign out</button>`
      }
    </div>
  </header>`;
}

const LISTS = [
  ['hints', 'Hints'],
  ['suggestions', 'Suggestions'],
  ['missing', 'Missing'],
  ['ambiguous', 'Ambiguous'],
  ['conflict', 'Conflicts'],
  ['check', 'Check'],
  ['bases', 'Tables'],
];

/** Links to what the panel can show: the open note, the lists, the history. */
export function PanelTabs() {
  const { view, name, list } = route.value;
  const link = (/** @type {string} */ href, /** @type {string} */ text, /** @type {boolean} */ here) =>
    html`<a href=${href} aria-current=${here ? 'page' : undefined}>${text}</a>`;
  return html`<nav class="tabs" aria-label="Lists">
    ${view === 'note' && name && link(noteHash(name), 'Note', true)}
    ${link('#/review', unseen.value ? `Review (${unseen.value})` : 'Review', view === 'review')}
    ${LISTS.map(([key, text]) => link(`#/list/${key}`, text, view === 'list' && list === key))}
    ${link('#/history', 'History', view === 'history')}
  </nav>`;
}

/** On a phone: buttons that choose between the graph and the notes. */
export function PhoneTabs() {
  const button = (
    /** @type {'graph' | 'panel'} */ key,
    /** @type {string} */ text,
  ) => html`<button type="button" aria-pressed=${tab.value === key}
    onClick=${() => (tab.value = key)}>${text}</button>`;
  return html`<div class="phone-tabs" role="group" aria-label="What is shown">
    ${button('graph', 'Graph')}${button('panel', 'Notes')}
  </div>`;
}

export function Toasts() {
  const { names, by, at } = changed.value;
  const who = by && !isOwn(by) ? `${by} changed` : 'Changed:'; // that it was another page is not worth saying
  return html`<div class="unseen" role="log" aria-live="polite" id="changes">
      ${at > 0 && html`<p key=${at}>${who} ${listed(names)}</p>`}
    </div>
    <div class="toasts" aria-live="polite" aria-label="Messages" role="region">
      <${TokenWanted} />
      ${toasts.value.map(
        ({
          id,
          message,
          kind,
        }) => html`<div class=${`toast ${kind}`} key=${id} role=${kind === 'error' ? 'alert' : undefined}>
        <span>${message}</span>
        <button type="button" aria-label="Close this message" onClick=${() => dismiss(id)}>×</button>
      </div>`,
      )}
    </div>`;
}

function listed(/** @type {string[] | null} */ names) {
  if (names === null) return 'many notes';
  return names.slice(0, 3).join(', ') + (names.length > 3 ? ` and ${names.length - 3} more` : '');
}
