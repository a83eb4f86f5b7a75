// The graph of the vault: fetched, shown, kept up to date.
import { effect, html, untracked, useEffect, useRef } from './vendor/ui.js';
import { request } from './api.js';
import { Controls, Legend, Zoom } from './graph/controls.js';
import { about, circle, colours, describe, look, style } from './graph/style.js';
import { savePositions, savedPositions } from './graph/positions.js';
import { arrange } from './graph/layout.js';
import { built, folderCounts, keyOf, nameOf } from './graph/model.js';
import { picture } from './graph/picture.js';
import { place } from './graph/start.js';
import { steering } from './graph/steer.js';
import { colourBy, labels, still } from './graph/view.js';
import { counted } from './load.js';
import { open, route, tab, tell, vault } from './state.js';

let stage = null; // the element
let shown = null; // the picture, once there is one
let layout = null; // the layout, while it runs
let etag = null;
let wanted = null; // a note to go to as soon as there is a picture

const graphNow = () => shown.renderer.getGraph();
const { zoom, onKey } = steering(() => shown);

/** Move the picture to a note and mark it; `show` brings the graph to the front on a phone. */
export function focusInGraph(name, show = true) {
  if (show) tab.value = 'graph';
  if (!shown) {
    wanted = name;
    return;
  }
  const key = keyOf(graphNow(), name);
  if (key) shown.fit([key]);
}

/** Fetch the graph, where it changed; `changed` are the names whose notes flash. */
export async function refreshGraph(changed = []) {
  if (!stage) return; // it is fetched as soon as there is
  const response = await request('graph', { headers: etag ? { 'If-None-Match': etag } : {} });
  if (response.status !== 304) {
    take(await response.json());
    etag = response.headers.get('ETag');
  }
  const graph = graphNow();
  shown.flash(changed.map((name) => keyOf(graph, name)).filter(Boolean));
}

export function GraphView() {
  const element = useRef(/** @type {HTMLElement} */ (null));
  useEffect(() => {
    stage = element.current;
    refreshGraph().catch(tell);
  }, []);
  const { notes, links, missing, folders, entries, arranging } = about.value;
  const counts = [counted(notes, 'note'), counted(links, 'link'), counted(missing, 'missing note')];
  const label = `The graph: ${counts.join(', ')}. The search and the lists lead to the same notes.`;
  return html`<div class="stage" ref=${element} tabindex="0" role="application" aria-label=${label}
    aria-busy=${arranging} onKeyDown=${onKey}></div>
    <${Controls} folders=${folders} missing=${missing} arranging=${arranging} arrange=${startLayout} />
    <${Legend} entries=${entries} missing=${missing} />
    <${Zoom} zoom=${zoom} />
    <p class="counts" aria-hidden="true">${counted(notes, 'note')} · ${counted(links, 'link')}</p>`;
}

function take(answer) {
  const from = shown ? standing(graphNow()) : savedPositions(vault.value.name);
  const graph = built(answer, from);
  const homeless = place(graph);
  colourBy.value ??= new Set(graph.mapNodes((_, node) => node.folder ?? '')).size > 1 ? 'folder' : 'community';
  describe({ folders: folderCounts(answer.names) });
  style(graph);
  if (shown) replace(graph);
  else begin(graph);
  if (layout || homeless > graph.order / 2) startLayout();
  else rest(graph);
}

/** Where nodes stand now; a missing note that is written, or a deleted one that is linked to, stays where it was. */
const standing = (graph) => (key) => {
  const was = keyOf(graph, nameOf(key));
  if (was === null) return undefined;
  const { x, y, community } = graph.getNodeAttributes(was);
  return { x, y, community };
};

function replace(graph) {
  shown.replace(graph);
  mark();
}

function begin(graph) {
  shown = picture(graph, stage, { look, colours, onOpen: open, onDrag });
  requestAnimationFrame(() => setTimeout(() => performance.mark('zkmem:first-picture'))); // when it is seen
  Object.assign(window, { zkmem: { renderer: shown.renderer } }); // for a look from the console, and the tests
  whenChanged(() => labels.value, shown.label);
  whenChanged(() => style(graphNow()), shown.restyle);
  effect(follow);
  if (wanted) focusInGraph(wanted, false);
}

/** Call `act` with what `read` answers, each time that the signals which it reads change from what they are now. */
function whenChanged(read, act) {
  let first = true;
  effect(() => {
    const value = read();
    if (!first) untracked(() => act(value));
    first = false;
  });
}

/** The open note is marked, and its neighbourhood fills the picture. */
function follow() {
  mark();
  const near = circle(graphNow());
  if (near) requestAnimationFrame(() => shown.fit([...near], 0.05));
}

function mark() {
  const { name } = route.value;
  shown.select(name && keyOf(graphNow(), name));
}

function startLayout() {
  layout?.stop();
  const graph = graphNow();
  describe({ arranging: true });
  layout = arrange(graph, {
    quiet: still(),
    show: () => shown.moved(),
    communities: recolour,
    done: () => {
      layout = null;
      rest(graph);
    },
  });
}

function recolour() {
  if (colourBy.peek() !== 'community') return;
  untracked(() => style(graphNow()));
  shown.restyle();
}

function rest(graph) {
  describe({ arranging: false });
  savePositions(vault.value.name, graph);
  performance.mark('zkmem:arranged');
}

function onDrag(key, held) {
  layout?.pin(key, held);
  if (!held && !layout) savePositions(vault.value.name, graphNow());
}
