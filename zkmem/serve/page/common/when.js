// Points in time: how long ago they were, and the moment itself, in the language of the browser, on hover.
import { html } from '../vendor/ui.js';
import { now } from '../state.js';

const format = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const dayFormat = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });
const clockFormat = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' });
const relative = new Intl.RelativeTimeFormat('en'); // the language of the page

/** The units, and how many seconds each has. @type {[Intl.RelativeTimeFormatUnit, number][]} */
const UNITS = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
];
const MOMENT = 45; // seconds
const LONGEST = 30 * 86_400; // an older point in time is told by its day

/** Return a point in time as a text. */
export const timeText = (/** @type {number} */ time) => format.format(new Date(time * 1000));

/** Return the day of a point in time as a text. */
export const dayText = (/** @type {number} */ time) => dayFormat.format(new Date(time * 1000));

/** Return when something began, for a sentence: the time if it was today. Both in seconds since 1970. */
export function sinceText(/** @type {number} */ time, /** @type {number} */ from) {
  const clock = clockFormat.format(new Date(time * 1000));
  if (dayText(time) === dayText(from)) return clock;
  return dayText(time) === dayText(from - 86_400) ? `yesterday ${clock}` : timeText(time);
}

/** Return how long before or after `from` a point in time is, in words; both in seconds since 1970. */
export function agoText(/** @type {number} */ time, /** @type {number} */ from) {
  const seconds = Math.abs(time - from);
  if (seconds < MOMENT) return 'just now';
  if (seconds >= LONGEST) return dayText(time);
  const [unit, size] = UNITS.find(([, length]) => length <= seconds) ?? UNITS[UNITS.length - 1];
  return relative.format(Math.sign(time - from) * Math.max(1, Math.floor(seconds / size)), unit);
}

/**
 * How long ago a point in time was; if something took until then, it began at `since`. In seconds since 1970.
 * @param {{ time: number, since?: number }} props
 */
export function When({ time, since = time }) {
  const title = timeText(since) + (time - since < 60 ? '' : ` – ${timeText(time)}`);
  const ago = agoText(time, now.value / 1000);
  return html`<time datetime=${new Date(time * 1000).toISOString()} title=${title}>${ago}</time>`;
}
