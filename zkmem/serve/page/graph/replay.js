// Replays on the map what has changed: the vault as it was before, and then the edits in order, in ten seconds.
import { html, untracked, useEffect, useRef, useState } from '../vendor/ui.js';
import { api } from '../server/api.js';
import { hueOf } from '../common/hue.js';
import { ErrorMessage, Waiting, formatNumber, numberOf, useLoad } from '../common/load.js';
import { useElement } from '../common/refs.js';
import { nameOf } from '../common/who.js';
import { belongsToField, isTyping } from '../common/typing.js';
import { correctAddress, endReplay, replayHash } from '../navigation.js';
import { about, folderSlots, graphEtag, layout, now, picture, replaying, route, tab } from '../state.js';
import { agoText } from '../common/when.js';
import { TOTAL_MS, captionOf, frameAt, scriptOf, startOf } from './frames.js';
import { placeNew } from './newNodes.js';
import { sceneOf } from './scene.js';
import { withSlots } from './slots.js';
import { describe, updateStyle } from './style.js';
import { unionOf } from './union.js';
import { still } from './view.js';

/**
 * @import { Script } from './frames.js'
 * @import { NoteGraph } from './model.js'
 * @import { Picture } from './picture.js'
 * @import { ReplayScene } from './scene.js'
 */

const SAY_MS = 3000; // between two captions that a screen reader says while the replay plays
const MOST_LAG_MS = 200; // of a frame: after a longer one, the replay goes on where it was
const SITTINGS = 6; // to choose from

/** What can be replayed; it is fetched when the person opens it. */
export function ReplayMenu() {
  const [isOpen, setOpen] = useState(false);
  const onToggle = (/** @type {Event & { currentTarget: HTMLDetailsElement }} */ { currentTarget }) =>
    setOpen(currentTarget.open);
  return html`<details class="controls" name="map-tools" onToggle=${onToggle}>
    <summary>Replay</summary>
    ${isOpen && html`<div class="controls-body"><${Choices} /></div>`}
  </details>`;
}

function Choices() {
  const { data, error, again } = useLoad(() => api.review(null, SITTINGS), []);
  const choose = (/** @type {Event & { currentTarget: HTMLElement }} */ event) => {
    const tool = /** @type {HTMLDetailsElement | null} */ (event.currentTarget.closest('details'));
    if (tool) tool.open = false;
    if (route.peek().view !== 'map') return; // the link leads to the replay
    event.preventDefault(); // without a step in the history, so that one step leads back from the map
    correctAddress(event.currentTarget.getAttribute('href') ?? '');
  };
  const link = (/** @type {string} */ which, /** @type {unknown} */ text) =>
    html`<li key=${which}><a href=${replayHash(which)} onClick=${choose}>${text}</a></li>`;
  return html`<ul class="replays">
      ${link('unseen', 'Since you last looked')}${link('yesterday', 'Since yesterday')}
      ${data?.sittings.map((one) => {
        const client = one.client || one.outside;
        const text = `${nameOf(one)}, ${agoText(one.ended, now.value / 1000)}: ${numberOf(one.edits, 'edit')}`;
        return link(
          String(one.edit),
          html`<i class="dot" style=${{ '--hue': hueOf(client) }} aria-hidden="true"></i>${text}`,
        );
      })}
    </ul>
    ${!data && !error && html`<${Waiting} />`}
    <${ErrorMessage} error=${error} again=${again} />`;
}

/** The replay that the address names, as soon as the map is there and at rest. */
export function Replay() {
  const { view, list } = route.value;
  const which = tab.value === 'graph' && view === 'map' ? list : null;
  const shown = picture.value;
  if (which === null || !shown || !graphEtag.value || layout.value) return null;
  return html`<${Loaded} key=${which} which=${which} picture=${shown} />`;
}

/** @param {{ which: string, picture: Picture }} props */
function Loaded({ which, picture: shown }) {
  const { data, error, again } = useLoad(() => api.replay(which), [which]);
  const [script, setScript] = useState(/** @type {Script | null} */ (null));
  useEffect(() => {
    if (data) setScript(scriptOf(data));
  }, [data]);
  if (script) return html`<${Player} script=${script} picture=${shown} />`;
  return html`<section class="replay" aria-label="Replay">
    ${error ? html`<${ErrorMessage} error=${error} again=${again} />` : html`<${Waiting} what="what has changed" />`}
    <button type="button" onClick=${endReplay}>Close</button>
  </section>`;
}

/** @param {{ script: Script, picture: Picture }} props */
function Player({ script, picture: shown }) {
  const count = script.frames.length;
  const slider = useElement(HTMLInputElement);
  const scene = useRef(/** @type {ReplayScene | null} */ (null));
  const time = useRef(0);
  const [frame, setFrame] = useState(still() ? count : 0);
  const [isPlaying, setPlaying] = useState(!still() && count > 0);
  const said = useSaid(captionOf(script, frame, now.peek() / 1000), isPlaying);

  useEffect(() => {
    const leave = enter(shown, script, scene);
    if (!isTyping()) slider.current.focus({ preventScroll: true });
    if (still()) scene.current?.rest(count, true);
    else scene.current?.at(0);
    return leave;
  }, []);

  useEffect(() => {
    if (!isPlaying) return undefined;
    let last = /** @type {number | null} */ (null);
    let request = requestAnimationFrame(function play(moment) {
      time.current = Math.min(TOTAL_MS, time.current + Math.min(MOST_LAG_MS, moment - (last ?? moment)));
      last = moment;
      const isOver = time.current >= TOTAL_MS;
      if (isOver) scene.current?.rest(count, true);
      else scene.current?.at(time.current);
      setFrame(frameAt(time.current, count));
      if (isOver) setPlaying(false);
      else request = requestAnimationFrame(play);
    });
    return () => cancelAnimationFrame(request);
  }, [isPlaying]);

  const toggle = () => {
    if (still() || !count) return;
    if (!isPlaying && time.current >= TOTAL_MS) time.current = 0;
    setPlaying(!isPlaying);
  };
  useSpace(toggle);
  const onInput = () => {
    const next = Number(slider.current.value);
    setPlaying(false);
    time.current = next === count ? TOTAL_MS : next ? startOf(next, count) : 0;
    setFrame(next);
    scene.current?.rest(next, still() || next === count);
  };
  const caption = captionOf(script, frame, now.value / 1000);
  return html`<section class="replay" aria-label="Replay">
    ${
      !still() &&
      html`<button type="button" class="primary" aria-keyshortcuts="Space" title="Space" disabled=${!count}
        onClick=${toggle}>${isPlaying ? 'Pause' : 'Play'}</button>`
    }
    <div>
      <p class="caption" aria-hidden="true">${dotOf(script, frame)}${caption}</p>
      <input type="range" ref=${slider} min="0" max=${count} value=${frame} disabled=${!count} aria-label="Edit"
        aria-valuetext=${caption} onInput=${onInput} />
      ${remarkOf(script)}
    </div>
    <button type="button" aria-keyshortcuts="Escape" title="Esc" onClick=${endReplay}>Close</button>
    <p class="unseen" role="status">${said}</p>
  </section>`;
}

/** The colour of the client whose edit is shown. */
function dotOf(/** @type {Script} */ { frames }, /** @type {number} */ frame) {
  const step = frames[frame - 1]?.step;
  const client = step && (step.client || step.outside);
  return client && html`<i class="dot" style=${{ '--hue': hueOf(client) }}></i>`;
}

/** Say how many edits are left out, or share a step. */
function remarkOf(/** @type {Script} */ { edits, left, frames }) {
  const shared =
    frames.some(({ more }) => more > 0) && `${numberOf(edits, 'edit')} in ${numberOf(frames.length, 'step')}`;
  const last = left > 0 && `only the last ${formatNumber(edits)} of ${numberOf(edits + left, 'edit')}`;
  const text = [last, shared].filter(Boolean).join('; ');
  return text && html`<p class="quiet">${text[0].toUpperCase() + text.slice(1)}.</p>`;
}

/** Return what a screen reader says: the caption, but while the replay plays only one each few seconds. */
function useSaid(/** @type {string} */ caption, /** @type {boolean} */ isPlaying) {
  const [said, say] = useState('');
  const latest = useRef(caption);
  latest.current = caption;
  useEffect(() => {
    say(latest.current);
    if (!isPlaying) return undefined;
    const timer = setInterval(() => say(latest.current), SAY_MS);
    return () => clearInterval(timer);
  }, [isPlaying]);
  return said;
}

/** Call `act` for Space, unless a field or a button takes the key; the slider does not. */
function useSpace(/** @type {() => void} */ act) {
  const latest = useRef(act);
  latest.current = act;
  useEffect(() => {
    const press = (/** @type {KeyboardEvent} */ event) => {
      const { target } = event;
      const isOwn = target instanceof Element && target.closest('.replay input');
      const isTaken = belongsToField(event) || (target instanceof Element && target.closest('button, a, summary'));
      if (event.key !== ' ' || event.defaultPrevented || (isTaken && !isOwn)) return;
      event.preventDefault();
      latest.current();
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, []);
}

/**
 * Let the picture show a replay; return a function that lets it show the present again.
 * @param {Picture} shown
 * @param {Script} script
 * @param {{ current: ReplayScene | null }} scene
 */
function enter(shown, script, scene) {
  const present = /** @type {NoteGraph} */ (shown.renderer.getGraph());
  const least = present.reduceNodes((size, _, node) => Math.min(size, node.size), 4);
  const { notes, links, missing, shared } = about.peek();
  const union = unionOf(present, script, { size: least, shared });
  placeNew(union.graph, union.added);
  const folders = union.graph.mapNodes((_, { folder }) => folder).filter((folder) => folder !== null);
  folderSlots.value = withSlots(folderSlots.peek(), folders);
  const current = sceneOf(shown, script, union);
  scene.current = current;
  replaying.value = true;
  untracked(() => updateStyle(union.graph));
  describe({ notes, links, missing }); // without what is gone
  shown.play(current);
  shown.replace(union.graph);
  shown.go({ x: 0.5, y: 0.5, ratio: 1, angle: 0 });
  return () => {
    scene.current = null;
    present.forEachNode((key, node) => {
      const { x, y } = union.graph.getNodeAttributes(key); // the person may have dragged it
      Object.assign(node, { x, y });
    });
    shown.play(null);
    untracked(() => updateStyle(present));
    shown.replace(present);
    replaying.value = false;
  };
}
