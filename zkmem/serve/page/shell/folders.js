// The folders of the vault as a tree: folders open and close, their notes are below. Only what is open is rendered.
import { effect, html, useState } from '../vendor/ui.js';
import { useActions } from './actions.js';
import { api } from '../server/api.js';
import { directionless } from '../common/bidi.js';
import { parted } from '../common/names.js';
import { moveInList, numberOf, useChanges, useLoad } from '../common/load.js';
import { go, noteHash } from '../navigation.js';
import { openFolders, route, vault } from '../state.js';

/**
 * @import { FolderRows, Subfolder } from '../messages.d.ts'
 * The rows of the folders that are open, and how many rows of each are shown.
 * @typedef {{ of: Map<string, FolderRows>, most: number, setMost: (most: number) => void }} Tree
 */

const TABLES = '#/list/bases';
const MOST_OPEN = 50; // folders that are asked for
const STEP = 200; // rows of a folder that are shown at first, and with each click more
const order = new Intl.Collator(undefined, { numeric: true }).compare;

export function Folders() {
  const [most, setMost] = useState(STEP);
  const open = ['', ...[...openFolders.value].slice(-MOST_OPEN)];
  const { data, again } = useLoad(() => api.tree(open, most), [openFolders.value, most]);
  useChanges(again);
  const hasTables = data?.has_bases ?? false;
  useActions(hasTables ? [{ title: 'Tables', act: () => go(TABLES) }] : []);
  const tree = { of: new Map(data?.folders.map((rows) => [rows.path, rows])), most, setMost };
  return html`<nav class="folders" aria-label="Folders" onKeyDown=${moveInList}>
    <${Rows} path="" tree=${tree} />
    ${hasTables && html`<p class="quiet"><a href=${TABLES}>Tables</a></p>`}
  </nav>`;
}

/** @param {{ path: string, tree: Tree }} props */
function Rows({ path, tree }) {
  const rows = tree.of.get(path);
  if (!rows) return null; // not loaded yet
  const folders = [...rows.folders].sort((one, other) => order(one.path, other.path));
  const notes = [...rows.notes].sort(order);
  const shown = [...folders, ...notes].slice(0, tree.most);
  const more = `Show ${numberOf(Math.min(STEP, rows.total - shown.length), 'more row')}`;
  return html`<ul>
    ${shown.map((row) =>
      typeof row === 'string'
        ? html`<${NoteRow} key=${`note ${row}`} name=${row} />`
        : html`<${FolderRow} key=${`folder ${row.path}`} folder=${row} tree=${tree} />`,
    )}
    ${
      rows.total > shown.length &&
      html`<li><button type="button" data-row onClick=${() => tree.setMost(tree.most + STEP)}>${more}</button></li>`
    }
  </ul>`;
}

/** @param {{ folder: Subfolder, tree: Tree }} props */
function FolderRow({ folder: { path, notes: count }, tree }) {
  const isOpen = openFolders.value.has(path);
  return html`<li>
    <button type="button" class="folder-row" data-row aria-expanded=${isOpen} onClick=${() => toggle(path)}>
      <span>${parted(path).last}</span><small aria-label=${numberOf(count, 'note')}>${count}</small></button>
    ${isOpen && html`<${Rows} path=${path} tree=${tree} />`}
  </li>`;
}

/** @param {{ name: string }} props */
function NoteRow({ name }) {
  const here = route.value.view === 'note' && route.value.name === name;
  return html`<li><a href=${noteHash(name)} data-row title=${directionless(name)}
    aria-current=${here ? 'page' : undefined}>${parted(name).last}</a></li>`;
}

function toggle(/** @type {string} */ path) {
  const open = new Set(openFolders.peek());
  if (!open.delete(path)) open.add(path);
  openFolders.value = open;
}

// The folders of the open note, and the one that a token is limited to, are open.
effect(() => {
  const { view, name } = route.value;
  const path = view === 'note' && name ? name : `${vault.value?.folder ?? ''}/`;
  const open = new Set(openFolders.peek());
  for (let end = path.indexOf('/', 1); end > 0; end = path.indexOf('/', end + 1)) open.add(path.slice(0, end));
  if (open.size > openFolders.peek().size) openFolders.value = open;
});
