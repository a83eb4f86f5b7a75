// A field for the name of a note, which proposes the names that are there.
import { html, useEffect, useId, useState } from './vendor/ui.js';
import { api } from './api.js';

export function NameField({ label, value, onInput, hint }) {
  const [id, list, about] = [useId(), useId(), useId()];
  const [names, setNames] = useState([]);
  useEffect(() => {
    let current = true;
    const take = ({ names: found }) => current && setNames(found);
    const q = value.trim();
    if (q) api.get('names', { q, count: 20 }).then(take, () => take({ names: [] })); // they are only proposals
    return () => {
      current = false;
    };
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
      onInput=${(event) => onInput(event.target.value)}
    />
    <datalist id=${list}>${names.map((name) => html`<option key=${name} value=${name}></option>`)}</datalist>
    ${hint && html`<span id=${about} class="quiet">${hint}</span>`}
  </p>`;
}
