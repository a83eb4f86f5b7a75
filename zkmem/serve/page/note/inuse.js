// What the notes of the vault have already, for a field: names of properties, or values of one.
import { html, useEffect, useState } from '../vendor/ui.js';
import { api } from '../server/api.js';

const MOST = 20;

/**
 * The proposals of the field whose `list` is `id`: names of properties, or values of the property `of`.
 * @param {{ id: string, typed: string, of?: string }} props
 */
export function InUse({ id, typed, of = '' }) {
  const [texts, setTexts] = useState(/** @type {string[]} */ ([]));
  useEffect(() => {
    const stop = new AbortController();
    const propose = (/** @type {string[]} */ proposals) => stop.signal.aborted || setTexts(proposals);
    api.inUse(typed.trim(), of.trim(), MOST, stop.signal).then(
      (response) => propose(response.texts),
      () => propose([]), // they are only proposals
    );
    return () => stop.abort();
  }, [typed, of]);
  return html`<datalist id=${id}>${texts.map((text) => html`<option key=${text} value=${text}></option>`)}</datalist>`;
}
