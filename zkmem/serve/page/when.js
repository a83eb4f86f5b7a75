// Points in time, in the language of the browser.
import { html } from './vendor/ui.js';

const format = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });

/** @param {{ time: number }} props `time`: seconds since 1970 */
export const When = ({ time }) => {
  const date = new Date(time * 1000);
  return html`<time datetime=${date.toISOString()}>${format.format(date)}</time>`;
};

/**
 * A span of time: one point if it is shorter than a minute.
 * @param {{ began: number, ended: number }} props seconds since 1970
 */
export const Span = ({ began, ended }) =>
  html`<${When} time=${began} />${ended - began >= 60 && html` – <${When} time=${ended} />`}`;
