// Points in time, in the language of the browser.
import { html } from '../vendor/ui.js';

const format = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const dayFormat = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });

/** Return a point in time as a text. */
export const timeText = (/** @type {number} */ time) => format.format(new Date(time * 1000));

/** Return the day of a point in time as a text. */
export const dayText = (/** @type {number} */ time) => dayFormat.format(new Date(time * 1000));

/** @param {{ time: number }} props `time`: seconds since 1970 */
export const When = ({ time }) => html`<time datetime=${new Date(time * 1000).toISOString()}>${timeText(time)}</time>`;

/**
 * A span of time: one point if it is shorter than a minute.
 * @param {{ began: number, ended: number }} props seconds since 1970
 */
export const Span = ({ began, ended }) =>
  html`<${When} time=${began} />${ended - began >= 60 && html` – <${When} time=${ended} />`}`;
