// Replays how the memory grew: shows the notes that were there at a time.
import { html, useEffect, useId, useState } from '../vendor/ui.js';
import { numberOf } from '../common/load.js';
import { facts, until } from '../state.js';
import { showError } from '../common/toasts.js';
import { loadFacts } from './facts.js';
import { still } from './view.js';

const FRAMES = 60; // of a replay
const FRAME_MS = 200;

const SHORT_MS = 7 * 86_400_000; // a memory that is younger is replayed with the time of day

const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });
const minute = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });

export function Timeline() {
  const [times, id] = [timesOf(facts.value), useId()];
  const [at, setAt] = useState(/** @type {number | null} */ (null)); // how many notes are shown; null for all
  const [playing, setPlaying] = useState(false);
  const shown = Math.min(at ?? times.length, times.length);
  const show = (/** @type {number} */ count) => {
    setAt(count >= times.length ? null : count);
    until.value = count >= times.length ? null : (times[count - 1] ?? 0);
  };
  useEffect(() => {
    if (!playing) return undefined;
    const next = Math.min(times.length, shown + Math.ceil(times.length / FRAMES));
    const timer = setTimeout(() => (show(next), setPlaying(next < times.length)), FRAME_MS);
    return () => clearTimeout(timer);
  }, [playing, shown]);
  const play = () => {
    if (!playing && shown === times.length) show(1);
    setPlaying(!playing);
  };
  const onToggle = (/** @type {Event & { currentTarget: HTMLDetailsElement }} */ { currentTarget }) => {
    if (currentTarget.open) loadFacts().catch(showError);
    else {
      setPlaying(false);
      show(times.length);
    }
  };
  const there = times.findLastIndex((time) => time <= (times[shown - 1] ?? -Infinity)) + 1; // some are of the same time
  const format = times[times.length - 1] - times[0] < SHORT_MS ? minute : day;
  const when = shown ? format.format(times[shown - 1]) : 'before the first note';
  return html`<details class="controls" name="map-tools" onToggle=${onToggle}>
    <summary>Timeline</summary>
    <div class="controls-body">
      ${!facts.value && html`<p class="quiet" role="status">Loading…</p>`}
      <label class="slider" for=${id}>Notes until then</label>
      <input id=${id} type="range" min="0" max=${times.length} value=${shown} disabled=${!times.length}
        aria-valuetext=${`${when}: ${numberOf(there, 'note')}`}
        onInput=${(/** @type {Event & { target: HTMLInputElement }} */ { target }) => show(Number(target.value))} />
      <p class="quiet">${when} · ${numberOf(there, 'note')}</p>
      ${
        !still() &&
        html`<button type="button" class="plain" onClick=${play} disabled=${!times.length}>
        ${playing ? 'Pause' : 'Play'}</button>`
      }
      <p class="quiet">By the date in the properties or the name of a note, else by the last change of its file.</p>
    </div>
  </details>`;
}

/** Return the times at which notes were created, in order. */
const timesOf = (/** @type {import('./facts.js').Facts | null} */ known) =>
  [...(known?.values() ?? [])].map(({ created }) => created).sort((a, b) => a - b);
