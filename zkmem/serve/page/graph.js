// The graph of the vault: fetched, shown, kept up to date.
import { effect, html, signal, untracked, useEffect, useRef } from './vendor/ui.js';
import { request } from './api.js';
import { OTHERS, entryOf, groupOf, legend, theme } from './graph/colours.js';
import { Controls, Legend, Zoom } from './graph/controls.js';
import { keep, recalled } from './graph/kept.js';
import { arrange } from './graph/layout.js';
import { built, folderCounts, isMissing, keyOf, neighbourhood } from './graph/model.js';
import { picture } from './graph/picture.js';
import { place } from './graph/start.js';
import { around, colourBy, folder, labels, off, showMissing, still } from './graph/view.js';
import { open, route, tab, tell, themeChanged, vault } from './state.js';

/** What the page says about the graph beside the picture. */
const about = signal({ notes: 0, links: 0, missing: 0, folders: [], entries: [], arranging: true });

let shown = null; // the picture, once there is one
let layout = null; // the layout, while it runs
let etag = null;
let colours = null;
let look = () => ({ colour: '#888', hidden: false });
let wanted = null; // a note to go to as soon as there is a picture

/** Move the picture to a note and mark it; `show` brings the graph to the front on a phone. */
export function focusInGraph(name, show = true) {
  if (show) tab.value = 'graph';
  if (!shown) {
    wanted = name;
    return;
  }
  const key = keyOf(graphNow(), name);
  if (key) shown.fit([key], 0.15);
}

/** Fetch the graph, where it changed; `changed` are the names whose notes flash. */
export async function refreshGraph(changed = []) {
  const response = await request('graph', { headers: etag ? { 'If-None-Match': etag } : {} });
  if (response.status !== 304) {
    etag = response.headers.get('ETag');
    take(await response.json());
  }
  const graph = graphNow();
  shown.flash(changed.map((name) => keyOf(graph, name)).filter(Boolean));
}

export function GraphView() {
  const element = useRef();
  useEffect(() => {
    stage = element.current;
    refreshGraph().catch(tell);
  }, []);
  const { notes, links, missing, folders, entries, arranging } = about.value;
  const label = `The graph: ${notes} notes, ${links} links, ${missing} missing notes. The search and the lists lead to the same notes.`;
  return html`<div class="stage" ref=${element} tabindex="0" role="application" aria-label=${label} aria-busy=${arranging} onKeyDown=${onKey}></div>
    <${Controls} folders=${folders} missing=${missing} arranging=${arranging} arrange=${startLayout} />
    <${Legend} entries=${entries} missing=${missing} />
    <${Zoom} zoom=${zoom} />
    <p class="counts" aria-hidden="true">${notes.toLocaleString()} notes · ${links.toLocaleString()} links</p>`;
}

let stage = null;

const graphNow = () => shown.renderer.getGraph();

function take(answer) {
  const from = shown ? standing(graphNow()) : recalled(vault.value.name);
  const graph = built(answer, from);
  const homeless = place(graph);
  colourBy.value ??= new Set(graph.mapNodes((_, node) => node.folder ?? '')).size > 1 ? 'folder' : 'community';
  about.value = { ...about.peek(), folders: folderCounts(answer.names) };
  if (shown) dress(graph), shown.replace(graph);
  else begin(graph);
  if (layout || homeless > graph.order / 2) startLayout();
  else rest(graph);
}

const standing = (graph) => (key) => {
  if (!graph.hasNode(key)) return undefined;
  const { x, y, community } = graph.getNodeAttributes(key);
  return { x, y, community };
};

function begin(graph) {
  dress(graph);
  shown = picture(graph, stage, { look: (key, node) => look(key, node), colours: () => colours, onOpen: open, onDrag });
  requestAnimationFrame(() => setTimeout(() => performance.mark('zkmem:first-picture'))); // when it is seen
  window.zkmem = { renderer: shown.renderer }; // for a look from the console, and the tests
  whenChanged(() => labels.value, shown.label);
  whenChanged(() => dress(graphNow()), shown.restyle);
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

/** What of the graph the legend, the choices and the reducers need. */
function describe(graph) {
  const entries = legend(graph, colourBy.peek(), colours);
  const missing = graph.reduceNodes((sum, key) => sum + isMissing(key), 0);
  about.value = { ...about.peek(), notes: graph.order - missing, links: graph.size, missing, entries };
}

function restyle() {
  dress(graphNow());
  shown.restyle();
}

/** What each node looks like under the choices of now. */
function dress(graph) {
  themeChanged.value;
  colours = theme(graph.size);
  const [by, within, hidden, hollow] = [colourBy.value, folder.value, off.value, showMissing.value];
  const near = circle(graph);
  untracked(() => describe(graph));
  const entry = entryOf(about.peek().entries);
  const outside = (key) => within && !isMissing(key) && !key.startsWith(`${within}/`);
  look = (key, node) => {
    if (isMissing(key)) return { colour: colours.missing, hidden: !hollow || (near ? !near.has(key) : Boolean(within)) };
    const { group = OTHERS, colour = colours.other } = entry(groupOf(key, node, by)) ?? {};
    return { colour, hidden: hidden.has(group) || outside(key) || (near !== null && !near.has(key)) };
  };
}

/** The nodes around the open note, where only they are shown; else null. */
function circle(graph) {
  const { view, name } = route.value;
  const key = around.value && view === 'note' && keyOf(graph, name);
  return key ? neighbourhood(graph, key, around.value) : null;
}

/** The open note is marked, and its neighbourhood fills the picture. */
function follow() {
  const { name } = route.value;
  const near = circle(graphNow());
  shown.select(name && keyOf(graphNow(), name));
  if (near) requestAnimationFrame(() => shown.fit([...near], 0.05));
}

function startLayout() {
  layout?.stop();
  const graph = graphNow();
  about.value = { ...about.peek(), arranging: true };
  layout = arrange(graph, {
    quiet: still(),
    show: () => shown.moved(),
    communities: () => colourBy.peek() === 'community' && restyle(),
    done: () => {
      layout = null;
      rest(graph);
    },
  });
}

function rest(graph) {
  about.value = { ...about.peek(), arranging: false };
  keep(vault.value.name, graph);
  performance.mark('zkmem:arranged');
}

function onDrag(key, held) {
  layout?.pin(key, held);
  if (!held && !layout) keep(vault.value.name, graphNow());
}

function zoom(factor) {
  const camera = shown?.renderer.getCamera();
  if (factor) shown?.go({ ratio: camera.getBoundedRatio(camera.ratio * factor) });
  else shown?.go({ x: 0.5, y: 0.5, ratio: 1, angle: 0 });
}

function onKey(event) {
  const { x = 0, y = 0, ratio = 1 } = shown?.renderer.getCamera().getState() ?? {};
  const step = 0.15 * ratio;
  const moves = {
    ArrowLeft: () => shown.go({ x: x - step }),
    ArrowRight: () => shown.go({ x: x + step }),
    ArrowUp: () => shown.go({ y: y + step }),
    ArrowDown: () => shown.go({ y: y - step }),
    '+': () => zoom(1 / 1.6),
    '-': () => zoom(1.6),
    0: () => zoom(0),
  };
  if (!shown || !moves[event.key] || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  moves[event.key]();
}
