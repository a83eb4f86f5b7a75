// A slider over moments, and a mark for each of them.
import { html, useEffect, useState } from '../vendor/ui.js';
import { useElement } from '../common/refs.js';
import { sliderWanted } from '../state.js';
import { dayText, timeText } from '../common/when.js';
import { still } from '../graph/view.js';

/** @import { Moment } from './moments.js' */

const STEP_MS = 1_200; // for which a moment is shown while the slider plays
const WIDTH = 1000; // of the picture with the marks: if it is stretched much, they are blurred
const MOST_MARKS = 250; // more would be a grey bar: then only the days have marks

/**
 * The slider, and a button that moves it from moment to moment; the next one comes when this one `isShown`.
 * `at` is the moment that is shown. If it is not among `moments`, the slider is at the last of them before `time`,
 * which is when it was.
 * @param {{ moments: Moment[], at: string, time: number, isShown: boolean, onPick: (at: string) => void }} props
 */
export function Slider({ moments, at, time, isShown, onPick }) {
  const slider = useElement(HTMLInputElement);
  useEffect(() => {
    if (sliderWanted.value) slider.current.focus({ preventScroll: true });
    sliderWanted.value = false;
  }, [moments]);
  const place = placeOf(moments, at, time);
  const { time: when, side, what } = moments[place];
  const [isPlaying, setPlaying] = useState(false);
  const last = moments.length - 1;
  const onInput = () => {
    setPlaying(false);
    onPick(moments[Number(slider.current.value)].at);
  };
  const play = () => {
    if (!isPlaying && place === last) onPick(moments[0].at);
    setPlaying(!isPlaying);
  };
  useEffect(() => {
    if (!isPlaying || !isShown) return undefined;
    if (place === last) return setPlaying(false);
    const timer = setTimeout(() => onPick(moments[place + 1].at), STEP_MS);
    return () => clearTimeout(timer);
  }, [isPlaying, isShown, place]);
  const onKeyDown = (/** @type {KeyboardEvent} */ event) => {
    if (event.key !== ' ' || still()) return;
    event.preventDefault();
    play();
  };
  return html`<div class="moments">
    ${
      !still() &&
      html`<button type="button" class="plain" aria-keyshortcuts="Space" title="Space, on the slider"
        onClick=${play} disabled=${moments.length < 2}>${isPlaying ? 'Pause' : 'Play'}</button>`
    }
    <div>
    <input type="range" ref=${slider} min="0" max=${moments.length - 1} value=${place} disabled=${moments.length < 2}
      aria-label="Moment" aria-valuetext=${`${timeText(when)}, ${side} ${what}`} onInput=${onInput}
      onKeyDown=${onKeyDown} />
    <${Marks} moments=${moments} />
    <${Ends} first=${moments[0].time} last=${moments[moments.length - 1].time} />
    </div>
  </div>`;
}

/** @param {{ first: number, last: number }} props */
function Ends({ first, last }) {
  const text = dayText(first) === dayText(last) ? timeText : dayText;
  return html`<p class="quiet" aria-hidden="true"><span>${text(first)}</span><span>${text(last)}</span></p>`;
}

/** Return the place of a moment among others, which are in order. */
export function placeOf(/** @type {Moment[]} */ moments, /** @type {string} */ at, /** @type {number} */ time) {
  const exact = moments.findIndex((one) => one.at === at);
  return exact < 0
    ? Math.max(
        0,
        moments.findLastIndex((one) => one.time <= time),
      )
    : exact;
}

/**
 * A short mark for each moment, and a long one for the first of each day.
 * @param {{ moments: Moment[] }} props
 */
function Marks({ moments }) {
  const days = moments.map(({ time }) => new Date(time * 1000).toDateString());
  const step = WIDTH / Math.max(1, moments.length - 1);
  const line = (/** @type {number} */ place, /** @type {number} */ height) => `M${place * step} 0v${height}`;
  const first = days.map((day, place) => (day === days[place - 1] ? '' : line(place, 2))).join('');
  const all = moments.length > MOST_MARKS ? '' : moments.map((_, place) => line(place, 1)).join('');
  return html`<svg viewBox=${`0 0 ${WIDTH} 2`} preserveAspectRatio="none" aria-hidden="true">
    <path d=${first + all} /></svg>`;
}
