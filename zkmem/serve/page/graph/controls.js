// What one can change about the picture.
import { html, useId } from '../vendor/ui.js';
import { route } from '../state.js';
import { around, colourBy, folder, labels, off, showMissing } from './view.js';

const LABELS = ['No names', 'Few names', 'Some names', 'Many names'];
const AROUND = ['Whole graph', 'One link away', 'Two links away'];

/** `folders` are `[name, count]`; `arrange()` lays the graph out anew. */
export function Controls({ folders, missing, arranging, arrange }) {
  return html`<details class="controls">
    <summary>View</summary>
    <div class="controls-body">
      <${Choice} label="Show" value=${around} options=${AROUND.map((name, at) => [at, name])}
        disabled=${route.value.view !== 'note'} title="Around the note that is open" />
      ${
        folders.length > 0 &&
        html`<${Choice} label="Folder" value=${folder}
        options=${[['', 'All folders'], ...folders.map(([name, count]) => [name, `${name} (${count})`])]} />`
      }
      <${Choice} label="Colour" value=${colourBy} options=${[
        ['folder', 'By folder'],
        ['community', 'By community'],
      ]} />
      <${Choice} label="Names" value=${labels} options=${LABELS.map((name, at) => [at, name])} />
      ${
        missing > 0 &&
        html`<label class="check">
        <input type="checkbox" checked=${showMissing}
          onChange=${(event) => (showMissing.value = event.target.checked)} />
        Missing notes
      </label>`
      }
      <button type="button" class="plain" onClick=${arrange} disabled=${arranging}>
        ${arranging ? 'Arranging…' : 'Arrange again'}
      </button>
    </div>
  </details>`;
}

/** `zoom(factor)`; 0 shows all of the graph. */
export function Zoom({ zoom }) {
  const button = (label, sign, factor) => html`<button type="button" aria-label=${label} title=${label}
    onClick=${() => zoom(factor)}>${sign}</button>`;
  return html`<div class="zoom" role="group" aria-label="Zoom">
    ${button('Zoom in', '+', 1 / 1.6)}${button('Zoom out', '−', 1.6)}${button('Show all', '⤢', 0)}
  </div>`;
}

function Choice({ label, value, options, ...rest }) {
  const choose = (event) => (value.value = options[event.target.selectedIndex][0]);
  const id = useId();
  return html`<div class="choice"><label for=${id}>${label}</label>
    <select id=${id} onChange=${choose} ...${rest}>
      ${options.map(([key, name]) => html`<option selected=${key === value.value}>${name}</option>`)}
    </select>
  </div>`;
}

/** The groups with their colours; each can be switched off. */
export function Legend({ entries, missing }) {
  const toggle = (group) => {
    const next = new Set(off.value);
    if (!next.delete(group)) next.add(group);
    off.value = next;
  };
  if (entries.length < 2 && !missing) return null;
  return html`<ul class="legend" aria-label="Colours of the graph">
    ${entries.map(
      ({ group, name, count, colour }) => html`<li key=${String(group)}>
      <button type="button" aria-pressed=${!off.value.has(group)} onClick=${() => toggle(group)} title="Show or hide">
        <svg viewBox="0 0 10 10" aria-hidden="true"><circle cx="5" cy="5" r="4.5" fill=${colour} /></svg>
        <span>${name}</span> <small>${count}</small>
      </button>
    </li>`,
    )}
    ${
      missing > 0 &&
      showMissing.value &&
      html`<li class="hollow">
      <svg viewBox="0 0 10 10" aria-hidden="true"><circle cx="5" cy="5" r="3.8" /></svg>
      <span>missing</span> <small>${missing}</small>
    </li>`
    }
  </ul>`;
}
