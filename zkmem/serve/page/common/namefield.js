// A field for the name of a note, which proposes the names that are there.
import { html, useEffect, useId, useState } from '../vendor/ui.js';
import { api } from '../server/api.js';

/** @param {{ label: string, value: string, onInput: (value: string) => void, hint?: string }} props */
export function NameField({ label, value, onInput, hint }) {
  const [id, list, about] = [useId(), useId(), useId()];
  const [names, setNames] = useState(/** @type {string[]} */ ([]));
  useEffect(() => {
    const stop = new AbortController();
    const propose = (/** @type {string[]} */ proposals) => stop.signal.aborted || setNames(proposals);
    const typed = value.trim();
    if (typed)
      api.names(typed, 20, stop.signal).then(
        (response) => propose(response.names),
        () => propose([]), // they are only proposals
      );
    return () => stop.abort();
  }, [value]);
  return html`<p class="field">
    <label for=${id}>${label}</label>
    <input
      id=${id}
      list=${list}
      data-first
      required
      autocomplete="off"
      spellcheck=${false}
      aria-describedby=${hint ? about : undefined}
      value=${value}
      onInput=${(/** @type {InputEvent & { target: HTMLInputElement }} */ event) => onInput(event.target.value)}
    />
    <datalist id=${list}>${names.map((name) => html`<option key=${name} value=${name}></option>`)}</datalist>
    ${hint && html`<span id=${about} class="quiet">${hint}</span>`}
  </p>`;
}
