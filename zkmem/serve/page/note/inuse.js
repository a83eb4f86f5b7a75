// What the notes of the vault have already, for a field: names of properties, or values of one.
import { html, useEffect, useState } from '../vendor/ui.js';
import { api } from '../server/api.js';

const MOST = 20;

/**
 * The suggestions of the field whose `list` is `id`: names of properties, or values of the property `of`.
 * @param {{ id: string, typed: string, of?: string }} props
 */
export function InUse({ id, typed, of = '' }) {
  const [texts, setTexts] = useState(/** @type {string[]} */ ([]));
  useEffect(() => {
    const stop = new AbortController();
    const suggest = (/** @type {string[]} */ suggestions) => stop.signal.aborted || setTexts(suggestions);
    api.inUse(typed.trim(), of.trim(), MOST, stop.signal).then(
      (response) => suggest(response.texts),
      () => suggest([]), // the person can type without them
    );
    return () => stop.abort();
  }, [typed, of]);
  return html`<datalist id=${id}>${texts.map((text) => html`<option key=${text} value=${text}></option>`)}</datalist>`;
}
