// What is beside an open note: its outline, the notes that link to it, and those that it links to.
import { html } from '../vendor/ui.js';
import { LinkedFrom, LinksTo } from './around.js';
import { Outline } from './outline.js';
import { Passages } from './passages.js';
import { openNote, route } from '../state.js';

export function Side() {
  const note = openNote.value;
  const { view, at } = route.value;
  if (!note || view !== 'note') return null;
  return html`<div class="beside" key=${note.name}>
    <${Outline} note=${note} />
    ${at ? html`<${LinkedFrom} note=${note} />` : html`<${Passages} note=${note} />`}
    <${LinksTo} note=${note} />
    ${at && html`<p class="quiet">The map shows the present, so it is hidden here.</p>`}
  </div>`;
}
