// A slider over moments, and a mark for each of them.
import { html, useEffect } from '../vendor/ui.js';
import { useElement } from '../common/refs.js';
import { sliderWanted } from '../state.js';
import { dayText, timeText } from '../common/when.js';

/** @import { Moment } from './moments.js' */

const MOST_MARKS = 250; // more would be a grey bar: then only the days have marks

/**
 * `at` is the moment that is shown. If it is not among `moments`, the slider is at the last of them before `time`,
 * which is when it was.
 * @param {{ moments: Moment[], at: string, time: number, onPick: (at: string) => void }} props
 */
export function Slider({ moments, at, time, onPick }) {
  const slider = useElement(HTMLInputElement);
  useEffect(() => {
    if (sliderWanted.value) slider.current.focus({ preventScroll: true });
    sliderWanted.value = false;
  }, [moments]);
  const place = placeOf(moments, at, time);
  const { time: when, side, what } = moments[place];
  const onInput = () => onPick(moments[Number(slider.current.value)].at);
  return html`<div class="moments">
    <input type="range" ref=${slider} min="0" max=${moments.length - 1} value=${place} disabled=${moments.length < 2}
      aria-label="Moment" aria-valuetext=${`${timeText(when)}, ${side} ${what}`} onInput=${onInput} />
    <${Marks} moments=${moments} />
    <${Ends} first=${moments[0].time} last=${moments[moments.length - 1].time} />
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
  const line = (/** @type {number} */ place, /** @type {number} */ height) => `M${place} 0v${height}`;
  const first = days.map((day, place) => (day === days[place - 1] ? '' : line(place, 2))).join('');
  const all = moments.length > MOST_MARKS ? '' : moments.map((_, place) => line(place, 1)).join('');
  return html`<svg viewBox=${`0 0 ${Math.max(1, moments.length - 1)} 2`} preserveAspectRatio="none" aria-hidden="true">
    <path d=${first + all} /></svg>`;
}
