// The graph of the vault: fetched, shown, and kept up to date.
import { effect, html, untracked, useEffect } from '../vendor/ui.js';
import { api, request } from '../server/api.js';
import { toggleMap } from './later.js';
import { statusOf } from '../server/error.js';
import { throttled } from '../server/live.js';
import { placeAround } from './around.js';
import { Controls, Legend, Zoom, steer, zoom } from './controls.js';
import { keepFacts } from './facts.js';
import { arrange } from './layout.js';
import { buildGraph, folderCounts, keyOf, nameOf } from './model.js';
import { PathView } from './pathView.js';
import { createPicture } from './picture.js';
import { savePositions, saveSlots, savedPositions, savedSlots } from './positions.js';
import { withSlots } from './slots.js';
import { placeNew } from './newNodes.js';
import { proposedNotes, withProposed } from './proposed.js';
import { Replay, ReplayMenu } from './replay.js';
import { placeNodes } from './start.js';
import { describe, nodesAround, updateStyle } from './style.js';
import { Timeline } from './timeline.js';
import { still } from './view.js';
import { formatNumber, numberOf, useChanges } from '../common/load.js';
import { go, open, reviewHash } from '../navigation.js';
import { useElement } from '../common/refs.js';
import {
  about,
  changed,
  colourBy,
  folderSlots,
  graphEtag,
  labels,
  layout,
  noteNames,
  noteToShow,
  path,
  picture,
  proposed,
  replaying,
  route,
  stage,
  style,
  tab,
  vault,
} from '../state.js';
import { showError } from '../common/toasts.js';

/**
 * @import * as Messages from '../messages.d.ts'
 * @import { Layout } from './layout.js'
 * @import { NoteGraph, Position } from './model.js'
 * @import { Near } from './noteNames.js'
 * @import { Picture } from './picture.js'
 * @import { ProposedNote } from './proposed.js'
 */

const MARGINS = { x: 46, y: 26 }; // pixels around the nodes of the small map, where their names are

/** Return whether a note is only proposed, so that it cannot be opened. */
const isPale = (/** @type {Picture} */ shown, /** @type {string} */ name) =>
  graphOf(shown).getNodeAttributes(keyOf(graphOf(shown), name)).proposed;

/** Return the graph that a picture shows. */
const graphOf = (/** @type {Picture} */ { renderer }) => /** @type {NoteGraph} */ (renderer.getGraph());

/** Let all nodes fill the picture. */
export const showAll = () => zoom(0);

/** Show the note that the person wants to see in the map, if the map is there; again when the layout has moved it. */
export function showWanted() {
  const [shown, name] = [picture.peek(), noteToShow.peek()];
  if (!shown || name === null || graphEtag.peek() === null) return;
  if (!layout.peek()) noteToShow.value = null;
  const key = keyOf(graphOf(shown), name);
  if (key) shown.fit([key]);
}

/** Return whether the whole graph is shown, or shall be: the map beside a note needs only the part around the note. */
const isWhole = () => tab.value === 'graph' || graphEtag.value !== null;

/** Return the note around which the graph is shown; null for the whole graph, or if there is none. */
const middle = () => (!isWhole() && route.value.view === 'note' ? route.value.name : null);

/** Which client has changed a note since the graph was shown last. */
const clients = /** @type {Map<string, string>} */ (new Map());

effect(() => {
  const { names, by } = changed.value;
  for (const name of names ?? []) {
    if (by) clients.set(name, by);
    else clients.delete(name);
  }
});

/** Fetch what is shown of the graph, and mark the notes with these names: new ones grow, the others get a ring. */
async function refreshGraph(/** @type {string[]} */ names = []) {
  if (replaying.peek()) return; // it is fetched when the replay ends
  const note = untracked(middle);
  if (note !== null) await refreshAround(note, names);
  else if (untracked(isWhole)) await refreshWhole(names);
  const shown = picture.peek();
  if (!shown) return;
  const keys = names.map((name) => keyOf(graphOf(shown), name)).filter((key) => key !== null);
  shown.recent.mark(keys, clientOf);
  for (const name of names) clients.delete(name);
}

/** The whole graph without the proposed notes, and these, as they are shown. */
let whole = /** @type {Messages.Graph | null} */ (null);
let pale = /** @type {ProposedNote[]} */ ([]);

/** Fetch the whole graph, if it has changed, and show it with the notes that are proposed now. */
async function refreshWhole(/** @type {string[]} */ recent, notes = pale) {
  const etag = graphEtag.peek();
  if (!etag) describe({ arranging: true });
  const response = await request('graph', { headers: etag ? { 'If-None-Match': etag } : {} });
  if (response.status === 304 && notes === pale) return;
  const answer = response.status === 304 ? whole : /** @type {Messages.Graph} */ (await response.json());
  if (replaying.peek()) return; // it has begun meanwhile; the graph is fetched again when it ends
  [whole, pale] = [answer, notes];
  if (whole) showGraph(whole, recent);
  if (response.status !== 304) graphEtag.value = response.headers.get('ETag');
  showWanted();
}

/** What the last list of proposed notes waits for, so that nothing is fetched twice. */
let following = Promise.resolve();

/** Show the proposed notes in the whole graph whenever there are others. */
const followPale = () =>
  effect(() => {
    const sets = proposed.value;
    if (graphEtag.value === null || replaying.value || (!sets.length && !pale.length)) return;
    const isCurrent = () => sets === proposed.peek() && !replaying.peek();
    const follow = async () => {
      const notes = await proposedNotes(sets, isCurrent);
      if (isCurrent()) await refreshWhole([], notes);
    };
    following = following.then(() => untracked(follow)).catch(showError);
  });

/** Fetch a note and those one link away. A missing note, or a name that several notes share, has none. */
async function refreshAround(/** @type {string} */ name, /** @type {string[]} */ recent) {
  const answer = await api.graphAround(name).catch((/** @type {unknown} */ error) => {
    if (![404, 409].includes(statusOf(error) ?? 0)) throw error;
    return { names: [], weights: [], missing: [], links: [], shared: '', version: 0 };
  });
  if (untracked(middle) === name) showAround(answer, name, recent);
}

const clientOf = (/** @type {string} */ key) => clients.get(nameOf(key)) ?? null;

export function GraphView() {
  const element = useElement(HTMLDivElement);
  useEffect(() => {
    stage.value = element.current;
    let last = /** @type {string | null} */ (null);
    return effect(() => {
      const wanted = isWhole() ? '' : middle();
      if (wanted !== null && wanted !== last) untracked(() => refreshGraph().catch(showError));
      last = wanted ?? last;
    });
  }, []);
  useEffect(followPale, []);
  useChanges((names) => refreshSoon(names ?? []));
  const { notes, links, missing, proposed: waiting, folders, entries, arranging } = about.value;
  const counts = [numberOf(notes, 'note'), numberOf(links, 'link'), numberOf(missing, 'missing note')];
  if (waiting) counts.push(numberOf(waiting, 'proposed note'));
  const what = isWhole() ? 'The map' : 'The map around the note';
  const label = `${what}: ${counts.join(', ')}. The search and the lists lead to the same notes.`;
  return html`<div class="map-bar">
      <${Controls} folders=${folders} missing=${missing} arranging=${arranging} arrange=${startLayout} />
      <${PathView} /><${Timeline} /><${ReplayMenu} /><${Zoom} /><${MapButton} />
    </div>
    <div class="stage" ref=${element} tabindex="0" role="application" aria-label=${label}
      aria-busy=${arranging} onKeyDown=${steer}></div>
    <${Replay} />
    <div class="map-foot">
      <${Legend} entries=${entries} missing=${missing} />
      ${
        !replaying.value &&
        html`<p class="counts" aria-hidden="true">${numberOf(notes, 'note')} · ${numberOf(links, 'link')}${
          waiting > 0 && ` · ${formatNumber(waiting)} proposed`
        }</p>`
      }
    </div>
    ${graphEtag.value && notes + missing + waiting === 0 && html`<p class="empty">There are no notes yet.</p>`}`;
}

const refreshSoon = throttled((names) => refreshGraph(names).catch(showError));

function MapButton() {
  const isMap = tab.value === 'graph';
  return html`<button type="button" class="map-button" aria-keyshortcuts="g" aria-pressed=${isMap}
    title="Map (g)" onClick=${toggleMap}>${isMap ? 'Close the map' : 'Whole map'}</button>`;
}

/** Show the answer of GET /graph; `recent` are the names of the notes that have changed just now. */
function showGraph(/** @type {Messages.Graph} */ answer, /** @type {string[]} */ recent) {
  const before = graphEtag.peek() === null ? null : picture.peek(); // of the whole graph, too
  const known = before ? positionsIn(graphOf(before)) : savedPositions(vaultName());
  const graph = buildGraph(withProposed(answer, pale), known);
  const there = new Set(answer.names);
  for (const { name } of pale) if (!there.has(name)) graph.setNodeAttribute(keyOf(graph, name), 'proposed', true);
  const anew = placeNodes(graph, before !== null);
  const folders = colourFolders(graph);
  colourBy.value ??= folders > 1 ? 'folder' : 'community';
  describe({ folders: folderCounts(answer.names), shared: answer.shared });
  keepFacts(answer.names);
  noteNames.value = answer.names;
  show(graph, anew || !before ? [] : recent);
  if (!before) showAll();
  if (anew) startLayout();
  else if (!layout.peek()) endLayout();
}

/**
 * Show the part of the graph around a note.
 * @param {Messages.Graph} answer
 * @param {string} name
 * @param {string[]} recent
 */
function showAround(answer, name, recent) {
  const graph = buildGraph(answer);
  placeAround(graph, keyOf(graph, name));
  colourFolders(graph);
  show(graph, recent);
  const shown = picture.peek();
  if (shown) fitNear(shown);
  describe({ arranging: false });
}

function show(/** @type {NoteGraph} */ graph, /** @type {string[]} */ recent) {
  const shown = picture.peek();
  updateStyle(graph);
  if (shown) replaceGraph(shown, graph, recent);
  else showFirstGraph(graph);
}

/** Choose the colours of new folders. Return how many folders there are. */
function colourFolders(/** @type {NoteGraph} */ graph) {
  const known = picture.peek() ? folderSlots.peek() : savedSlots(vaultName());
  const folders = new Set();
  graph.forEachNode((_, { folder }) => folder !== null && folders.add(folder));
  folderSlots.value = withSlots(known, folders);
  saveSlots(vaultName(), folderSlots.peek());
  return folders.size;
}

const vaultName = () => vault.peek()?.name ?? '';

/**
 * Return a function from a node to its position in a graph. A note that was missing, or is now, keeps its position.
 * @param {NoteGraph} graph
 * @returns {(key: string) => Position | undefined}
 */
const positionsIn = (graph) => (key) => {
  const before = keyOf(graph, nameOf(key));
  if (before === null) return undefined;
  const { x, y, community } = graph.getNodeAttributes(before);
  return { x, y, community };
};

function replaceGraph(/** @type {Picture} */ shown, /** @type {NoteGraph} */ graph, /** @type {string[]} */ names) {
  const before = graphOf(shown);
  const added = names.filter((name) => keyOf(before, name) === null).map((name) => keyOf(graph, name));
  shown.recent.grow(
    graph,
    added.filter((key) => key !== null),
    clientOf,
  );
  shown.replace(graph);
  mark(shown);
  if (tab.peek() !== 'graph') requestAnimationFrame(() => fitNear(shown)); // a new note may be out of sight
}

/** Show the first graph, and follow what the person chooses from now on. */
function showFirstGraph(/** @type {NoteGraph} */ graph) {
  const element = stage.peek();
  if (!element) return;
  const current = () => /** @type {import('./style.js').Style} */ (style.peek()); // set before each picture
  const shown = createPicture(graph, element, {
    look: (key, node) => current().look(key, node),
    colours: () => current().palette,
    near: nearOf,
    level: labels.peek(),
    onOpen: (name) => (isPale(shown, name) ? go(reviewHash()) : open(name)),
    onDrag,
  });
  picture.value = shown;
  requestAnimationFrame(() => setTimeout(() => performance.mark('zkmem:first-picture'))); // when it is seen
  const { renderer, regions, names, recent } = shown;
  Object.assign(window, { zkmem: { renderer, regions, names, recent } }); // for the console and the tests
  whenChanged(() => labels.value, shown.label);
  whenChanged(
    () => replaying.value,
    (isOn) => !isOn && refreshSoon([]),
  );
  whenChanged(() => updateStyle(graphOf(shown)), shown.restyle);
  effect(() => followRoute(shown));
  // the map beside a note has no size before the note is there, and as long as another view is shown
  new ResizeObserver(() => tab.peek() !== 'graph' && requestAnimationFrame(() => fitNear(shown))).observe(element);
  effect(() => followPath(shown));
}

/**
 * Call `act` with the result of `read`, each time that one of the signals that it reads changes after now.
 * @template T
 * @param {() => T} read
 * @param {(value: T) => void} act
 */
function whenChanged(read, act) {
  let first = true;
  effect(() => {
    const value = read();
    if (!first) untracked(() => act(value));
    first = false;
  });
}

/** Mark the open note, and let its neighbourhood fill the picture. */
function followRoute(/** @type {Picture} */ shown) {
  mark(shown);
  if (tab.value !== 'graph' || nodesAround(graphOf(shown))) requestAnimationFrame(() => fitNear(shown));
}

/** Let the nodes around the open note fill the picture, or all nodes if it shows all. */
function fitNear(/** @type {Picture} */ shown) {
  const near = nodesAround(graphOf(shown));
  if (near) shown.fit([...near], 0.05, tab.peek() === 'graph' ? undefined : MARGINS);
  else if (tab.peek() !== 'graph') zoom(0);
}

/**
 * Return what the small map beside the open note shows; null if the picture is the whole map, or shows all.
 * @returns {Near | null}
 */
function nearOf(/** @type {NoteGraph} */ graph) {
  if (tab.peek() === 'graph') return null;
  const [keys, key] = [nodesAround(graph), keyOf(graph, route.peek().name ?? '')];
  const [button, place] = [document.querySelector('.map-button'), stage.peek()?.getBoundingClientRect()];
  if (!keys || key === null || !button || !place) return null;
  const { left, right, top, bottom } = button.getBoundingClientRect();
  const covered = { left: left - place.x, right: right - place.x, top: top - place.y, bottom: bottom - place.y };
  return { key, keys, covered: [covered] };
}

/** Mark the path that the person asked for, and let it fill the picture. */
function followPath(/** @type {Picture} */ shown) {
  const keys = path.value;
  shown.trace(keys);
  if (keys.length > 1) shown.fit(keys);
}

function mark(/** @type {Picture} */ shown) {
  const { name } = route.value;
  shown.select(name && keyOf(graphOf(shown), name));
}

function startLayout() {
  layout.peek()?.stop();
  const shown = picture.peek();
  if (!shown) return;
  describe({ arranging: true });
  const running = arrange(() => graphOf(shown), {
    quiet: still(),
    show: shown.moved,
    communities: () => recolour(shown),
    done: () => {
      layout.value = null;
      placeLate(shown, running);
      endLayout();
    },
  });
  layout.value = running;
}

/** Put the notes that appeared while the layout ran beside those that it has moved. */
function placeLate(/** @type {Picture} */ shown, /** @type {Layout} */ running) {
  const graph = graphOf(shown);
  const late = graph.filterNodes((key) => !running.knows(key));
  if (!late.length) return;
  placeNew(graph, late);
  shown.moved();
}

function recolour(/** @type {Picture} */ shown) {
  if (colourBy.peek() !== 'community') return;
  untracked(() => updateStyle(graphOf(shown)));
  shown.restyle();
}

/** Save the positions after the layout has come to rest. */
function endLayout() {
  const shown = picture.peek();
  if (!shown) return;
  if (tab.peek() !== 'graph') fitNear(shown);
  showWanted();
  describe({ arranging: false });
  savePositions(vaultName(), graphOf(shown));
  performance.mark('zkmem:arranged');
}

function onDrag(/** @type {string} */ key, /** @type {boolean} */ held) {
  const [running, shown] = [layout.peek(), picture.peek()];
  running?.pin(key, held);
  if (!held && !running && shown) savePositions(vaultName(), graphOf(shown));
}
