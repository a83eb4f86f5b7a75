// The controls beside the picture: what is shown, the camera, and what the colours mean.
import { html, useId } from '../vendor/ui.js';
import {
  around,
  colourBy,
  days,
  facts,
  folder,
  hiddenGroups,
  labels,
  leaveOut,
  picture,
  route,
  showMissing,
  sizeBy,
  sizeScale,
  tag,
  writer,
} from '../state.js';
import { numberOf } from '../common/load.js';
import { showError } from '../common/toasts.js';
import { frequencies, loadFacts } from './facts.js';

/**
 * @import { Signal } from '../vendor/ui.js'
 * @import { LegendEntry } from './colours.js'
 */

const STEP = 0.15; // by which part of the picture a key moves the camera
const FACTOR = 1.6; // by which a click or a key zooms
const LABELS = ['No names', 'Few names', 'Some names', 'Many names'];
const AGES = [0, 365, 90, 30, 7, 1]; // days
const MOST_TAGS = 300;
const AROUND = ['Whole graph', 'One link away', 'Two links away'];

/**
 * What the person can choose; `folders` are `[name, count]`, `arrange()` starts the layout again.
 * @param {{ folders: [string, number][], missing: number, arranging: boolean, arrange: () => void }} props
 */
export function Controls({ folders, missing, arranging, arrange }) {
  const onToggle = (/** @type {Event & { currentTarget: HTMLDetailsElement }} */ { currentTarget }) => {
    if (currentTarget.open) loadFacts().catch(showError);
  };
  return html`<details class="controls" name="map-tools" onToggle=${onToggle}>
    <summary>View</summary>
    <div class="controls-body">
      <${Choice} label="Show" value=${around} options=${AROUND.map((name, at) => [at, name])}
        disabled=${route.value.view !== 'note'} title="Around the note that is open" />
      ${
        folders.length > 0 &&
        html`<${Choice} label="Folder" value=${folder}
        options=${[['', 'All folders'], ...folders.map(([name, count]) => [name, `${name} (${count})`])]} />`
      }
      <${Counted} label="Tag" value=${tag} all="All tags"
        counts=${frequencies(facts.value, ({ tags }) => tags).slice(0, MOST_TAGS)} />
      <${Counted} label="Writer" value=${writer} all="All writers" title="The client that wrote a note last"
        counts=${frequencies(facts.value, (fact) => (fact.writer ? [fact.writer] : []))} />
      <${Choice} label="Colour" value=${colourBy} options=${[
        ['folder', 'By folder'],
        ['community', 'By community'],
      ]} />
      <${Choice} label="Size" value=${sizeBy} options=${[
        ['weight', 'By weight'],
        ['links', 'By links'],
      ]} />
      <${Slider} label="Size of notes" text=${`× ${sizeScale.value}`} min="0.5" max="3" step="0.25"
        value=${sizeScale.value} set=${(/** @type {number} */ scale) => (sizeScale.value = scale)} />
      <${Slider} label="Changed within" text=${spanOf(days.value)} min="0" max=${AGES.length - 1} step="1"
        disabled=${!facts.value} value=${AGES.indexOf(days.value)}
        set=${(/** @type {number} */ at) => (days.value = AGES[at])} />
      ${
        days.value > 0 &&
        html`<label class="check">
        <input type="checkbox" checked=${leaveOut.value} onChange=${() => (leaveOut.value = !leaveOut.value)} />
        Leave out older notes
      </label>`
      }
      <${Choice} label="Names" value=${labels} options=${LABELS.map((name, at) => [at, name])} />
      ${
        missing > 0 &&
        html`<label class="check">
        <input type="checkbox" checked=${showMissing}
          onChange=${() => (showMissing.value = !showMissing.value)} />
        Missing notes
      </label>`
      }
      <button type="button" class="plain" onClick=${arrange} disabled=${arranging}>
        ${arranging ? 'Arranging…' : 'Arrange again'}
      </button>
    </div>
  </details>`;
}

const spanOf = (/** @type {number} */ age) => (age ? numberOf(age, 'day') : 'any time');

/**
 * A choice among values that notes have; nothing if no note has one.
 * @param {{ label: string, value: Signal<string>, all: string, counts: [string, number][], title?: string }} props
 */
function Counted({ label, value, all, counts, title }) {
  if (!counts.length && !value.value) return null;
  const options = [['', all], ...counts.map(([name, count]) => [name, `${name} (${count})`])];
  return html`<${Choice} label=${label} value=${value} options=${options} title=${title} />`;
}

/**
 * A slider; `text` says what its position means.
 * @param {{ label: string, text: string, set: (value: number) => void, [attribute: string]: unknown }} props
 */
function Slider({ label, text, set, ...attributes }) {
  const id = useId();
  const onInput = (/** @type {Event & { target: HTMLInputElement }} */ { target }) => set(Number(target.value));
  return html`<div>
    <label class="slider" for=${id}>${label}</label><output class="slider" for=${id}> ${text}</output>
    <input id=${id} type="range" aria-valuetext=${text} onInput=${onInput} ...${attributes} />
  </div>`;
}

/** The buttons to zoom. */
export function Zoom() {
  const button = (/** @type {string} */ label, /** @type {string} */ sign, /** @type {number} */ factor) =>
    html`<button type="button" aria-label=${label} title=${label}
    onClick=${() => zoom(factor)}>${sign}</button>`;
  return html`<div class="zoom" role="group" aria-label="Zoom">
    ${button('Zoom in', '+', 1 / FACTOR)}${button('Zoom out', '−', FACTOR)}${button('Show all', '⤢', 0)}
  </div>`;
}

/**
 * A field to choose the value of a signal.
 * @template {string | number | null} T
 * @param {{ label: string, value: Signal<T>, options: [T, string][], disabled?: boolean, title?: string }} props
 */
function Choice({ label, value, options, ...rest }) {
  const choose = (/** @type {Event & { target: HTMLSelectElement }} */ { target }) =>
    (value.value = options[target.selectedIndex][0]);
  const id = useId();
  return html`<div class="choice"><label for=${id}>${label}</label>
    <select id=${id} onChange=${choose} ...${rest}>
      ${options.map(([key, name]) => html`<option selected=${key === value.value}>${name}</option>`)}
    </select>
  </div>`;
}

/** Show `factor` times as much of the graph; with 0, the whole graph. */
export function zoom(/** @type {number} */ factor) {
  const camera = picture.value?.renderer.getCamera();
  if (camera && factor) picture.value?.go({ ratio: camera.getBoundedRatio(camera.ratio * factor) });
  else picture.value?.go({ x: 0.5, y: 0.5, ratio: 1, angle: 0 });
}

function shift(/** @type {number} */ right, /** @type {number} */ up) {
  const camera = picture.value?.renderer.getCamera();
  if (!camera) return;
  const { x, y, ratio } = camera.getState();
  picture.value?.go({ x: x + right * STEP * ratio, y: y + up * STEP * ratio });
}

/** @type {Record<string, () => void>} */
const KEYS = {
  ArrowLeft: () => shift(-1, 0),
  ArrowRight: () => shift(1, 0),
  ArrowUp: () => shift(0, 1),
  ArrowDown: () => shift(0, -1),
  '+': () => zoom(1 / FACTOR),
  '-': () => zoom(FACTOR),
  0: () => zoom(0),
};

/** Move the camera by a key. */
export function steer(/** @type {KeyboardEvent} */ event) {
  if (!picture.value || !KEYS[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  KEYS[event.key]();
}

/**
 * What the colours of the picture mean: the groups with their colours; each can be hidden.
 * @param {{ entries: LegendEntry[], missing: number }} props
 */
export function Legend({ entries, missing }) {
  const toggle = (/** @type {LegendEntry['group']} */ group) => {
    const next = new Set(hiddenGroups.value);
    if (!next.delete(group)) next.add(group);
    hiddenGroups.value = next;
  };
  if (entries.length < 2 && !missing) return null;
  return html`<ul class="legend" aria-label="Colours of the graph">
    ${entries.map(
      ({ group, name, count, colour }) => html`<li key=${String(group)}>
      <button type="button" aria-pressed=${!hiddenGroups.value.has(group)} onClick=${() => toggle(group)}
        title="Show or hide">
        <svg viewBox="0 0 10 10" aria-hidden="true"><circle cx="5" cy="5" r="4.5" fill=${colour} /></svg>
        <span>${name}</span> <small>${count}</small>
      </button>
    </li>`,
    )}
    ${
      missing > 0 &&
      showMissing.value &&
      html`<li class="hollow">
      <svg viewBox="0 0 10 10" aria-hidden="true"><circle cx="5" cy="5" r="3.8" /></svg>
      <span>missing</span> <small>${missing}</small>
    </li>`
    }
  </ul>`;
}
