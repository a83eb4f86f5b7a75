// The folders of the vault as a tree: folders open and close, their notes are below. Only what is open is rendered.
import { effect, html, useState } from '../vendor/ui.js';
import { useActions } from './actions.js';
import { api } from '../server/api.js';
import { directionless } from '../common/bidi.js';
import { parted } from '../common/names.js';
import { moveInList, numberOf, useLoad } from '../common/load.js';
import { go, noteHash } from '../navigation.js';
import { noteNames, openFolders, route, vault } from '../state.js';

/** @typedef {{ path: string, folders: Map<string, Folder>, notes: string[], count: number }} Folder */

const TABLES = '#/list/bases';
const STEP = 200; // rows of a folder that are shown at first, and with each click more
const order = new Intl.Collator(undefined, { numeric: true }).compare;

export function Folders() {
  const root = treeOf(noteNames.value);
  const { data } = useLoad(() => api.bases(), []);
  const hasTables = data ? data.bases.length > 0 : false;
  useActions(hasTables ? [{ title: 'Tables', act: () => go(TABLES) }] : []);
  return html`<nav class="folders" aria-label="Folders" onKeyDown=${moveInList}>
    <${Rows} folder=${root} />
    ${hasTables && html`<p class="quiet"><a href=${TABLES}>Tables</a></p>`}
  </nav>`;
}

/** @param {{ folder: Folder }} props */
function Rows({ folder }) {
  const [most, setMost] = useState(STEP);
  const folders = [...folder.folders.values()].sort((one, other) => order(one.path, other.path));
  const rows = [...folders, ...[...folder.notes].sort(order)];
  const more = `Show ${numberOf(Math.min(STEP, rows.length - most), 'more row')}`;
  return html`<ul>
    ${rows
      .slice(0, most)
      .map((row) =>
        typeof row === 'string'
          ? html`<${NoteRow} key=${`note ${row}`} name=${row} />`
          : html`<${FolderRow} key=${`folder ${row.path}`} folder=${row} />`,
      )}
    ${
      rows.length > most &&
      html`<li><button type="button" data-row onClick=${() => setMost(most + STEP)}>${more}</button></li>`
    }
  </ul>`;
}

/** @param {{ folder: Folder }} props */
function FolderRow({ folder }) {
  const { path, count } = folder;
  const isOpen = openFolders.value.has(path);
  return html`<li>
    <button type="button" class="folder-row" data-row aria-expanded=${isOpen} onClick=${() => toggle(path)}>
      <span>${parted(path).last}</span><small aria-label=${numberOf(count, 'note')}>${count}</small></button>
    ${isOpen && html`<${Rows} folder=${folder} />`}
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

let last = { names: /** @type {string[]} */ ([]), root: folderAt('') };

/** Return the folders of some names. The last answer is kept, since a vault can have very many names. */
export function treeOf(/** @type {string[]} */ all) {
  if (last.names === all) return last.root;
  const root = folderAt('');
  for (const name of all) {
    let folder = root;
    for (let end = name.indexOf('/', 1); end > 0; end = name.indexOf('/', end + 1)) {
      const path = name.slice(0, end);
      const inner = folder.folders.get(path) ?? folderAt(path);
      folder.folders.set(path, inner);
      folder = inner;
      folder.count += 1;
    }
    folder.notes.push(name);
  }
  last = { names: all, root };
  return root;
}

/** @returns {Folder} */
function folderAt(/** @type {string} */ path) {
  return { path, folders: new Map(), notes: [], count: 0 };
}

// The folders of the open note, and the one that a token is limited to, are open.
effect(() => {
  const { view, name } = route.value;
  const path = view === 'note' && name ? name : `${vault.value?.folder ?? ''}/`;
  const open = new Set(openFolders.peek());
  for (let end = path.indexOf('/', 1); end > 0; end = path.indexOf('/', end + 1)) open.add(path.slice(0, end));
  if (open.size > openFolders.peek().size) openFolders.value = open;
});
