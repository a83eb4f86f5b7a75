// The map, half of the page's own scripts: it is loaded when it is shown, beside a note or in place of it.
import { html, useRef } from '../vendor/ui.js';
import { ErrorMessage, Waiting, script, useLoad } from '../common/load.js';
import { closeMap } from '../navigation.js';
import { noteToShow, route, tab } from '../state.js';

const narrow = matchMedia('(max-width: 719px)'); // no map is beside a note there

/** @type {typeof import('./graph.js') | undefined} */
let loaded;

async function load() {
  [loaded] = await script(Promise.all([import('./graph.js'), import('../vendor/graph.js')]));
  return loaded;
}

/** Show the whole map, or what was there before it. */
export function toggleMap() {
  if (tab.peek() === 'graph') return closeMap();
  tab.value = 'graph';
  loaded?.showAll();
}

/** Show the map at a note. */
export function focusInGraph(/** @type {string} */ name) {
  tab.value = 'graph';
  noteToShow.value = name;
  loaded?.showWanted();
}

export function MapView() {
  const { view, at } = route.value;
  const wanted = useRef(false);
  wanted.current ||= tab.value === 'graph' || (view === 'note' && !at && !narrow.matches);
  return wanted.current ? html`<${Loaded} />` : null;
}

function Loaded() {
  const { data, error, again } = useLoad(load, [], loaded);
  if (data) return html`<${data.GraphView} />`;
  return error ? html`<${ErrorMessage} error=${error} again=${again} />` : html`<${Waiting} />`;
}
