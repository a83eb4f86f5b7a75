// The panel beside the graph: what the address names.
import { html } from './vendor/ui.js';
import { route } from './state.js';

export function Panel() {
  const { view, name, list } = route.value;
  return html`<p class="hint">${name ?? list ?? (view || 'Choose a note in the graph, or search for one.')}</p>`;
}
