// What the colours of the picture mean.
import { html } from '../vendor/ui.js';
import { hiddenGroups, showMissing } from '../state.js';

/** @import { LegendEntry } from './colours.js' */

/**
 * The groups with their colours; each can be hidden.
 * @param {{ entries: LegendEntry[], missing: number }} props
 */
export function Legend({ entries, missing }) {
  const toggle = (/** @type {LegendEntry['group']} */ group) => {
    const next = new Set(hiddenGroups.value);
    if (!next.delete(group)) next.add(group);
    hiddenGroups.value = next;
  };
  if (entries.length < 2 && !missing) return null;
  return html`<ul class="legend" aria-label="Colours of the graph">
    ${entries.map(
      ({ group, name, count, colour }) => html`<li key=${String(group)}>
      <button type="button" aria-pressed=${!hiddenGroups.value.has(group)} onClick=${() => toggle(group)}
        title="Show or hide">
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
