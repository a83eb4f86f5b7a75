// Points in time, in the language of the browser.
import { html } from './vendor/ui.js';

const format = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });

/** @param {{ time: number }} props `time`: seconds since 1970 */
export const When = ({ time }) => {
  const date = new Date(time * 1000);
  return html`<time datetime=${date.toISOString()}>${format.format(date)}</time>`;
};
