// The actions of an open note: Edit, and a menu with the others.
import { effect, html } from '../vendor/ui.js';
import { focusInGraph } from '../graph/later.js';
import { Menu } from '../common/menu.js';
import { showAsItWas } from '../history/moments.js';
import { historyHash } from '../navigation.js';
import { depth, pinned, vault } from '../state.js';
import { showError } from '../common/toasts.js';

/** @typedef {'why' | 'rename' | 'remove'} Question */

const LEVELS = [0, 1, 2, 3];
const MOST_PINNED = 100;

/** Where this browser keeps the names of the notes that are pinned in this vault. */
const key = () => `zkmem:pinned:${vault.value?.name ?? ''}`;

effect(() => {
  if (!vault.value) return;
  const stored = JSON.parse(localStorage.getItem(key()) ?? '[]');
  pinned.value = Array.isArray(stored) ? stored.filter((name) => typeof name === 'string') : [];
});

/** The choice of how many levels of links are expanded. */
const levels = () => ({
  label: 'Expand links',
  items: LEVELS.map((level) => ({
    text: String(level),
    checked: depth.value === level,
    act: () => (depth.value = level),
  })),
});

/**
 * The actions of a note as it was.
 * @param {{ name: string }} props `name`: its present name, or its last one
 */
export const ActionsThen = ({ name }) => html`<div class="toolbar" role="toolbar" aria-label="This note">
  <${Menu} label="More actions" groups=${[{ items: [{ text: 'History', href: historyHash(name) }] }, levels()]}>
    <span aria-hidden="true">⋯</span><//>
</div>`;

/** @param {{ name: string, edit: () => void, ask: (question: Question) => void }} props */
export function Actions({ name, edit, ask }) {
  const mayWrite = vault.value?.can_write;
  const groups = [
    {
      items: [
        { text: pinned.value.includes(name) ? 'Unpin' : 'Pin to Home', act: () => togglePin(name) },
        { text: 'Show in map', act: () => focusInGraph(name) },
        { text: 'History', href: historyHash(name) },
        { text: 'Why is this here?', act: () => ask('why') },
        { text: 'As it was…', act: () => showAsItWas(name).catch(showError) },
      ],
    },
    levels(),
    ...(mayWrite
      ? [
          {
            items: [
              { text: 'Rename…', act: () => ask('rename') },
              { text: 'Delete…', danger: true, act: () => ask('remove') },
            ],
          },
        ]
      : []),
  ];
  return html`<div class="toolbar" role="toolbar" aria-label="This note">
    ${
      mayWrite &&
      html`<button type="button" class="primary" aria-keyshortcuts="e" title="Edit (e)" onClick=${edit}>Edit</button>`
    }
    <${Menu} label="More actions" groups=${groups}><span aria-hidden="true">⋯</span><//>
  </div>`;
}

/** Pin a note, or unpin it. */
function togglePin(/** @type {string} */ name) {
  const others = pinned.peek().filter((one) => one !== name);
  pinned.value = others.length < pinned.peek().length ? others : [...others, name].slice(-MOST_PINNED);
  localStorage.setItem(key(), JSON.stringify(pinned.peek()));
}
