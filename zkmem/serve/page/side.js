// What is beside an open note: its outline, the notes that link to it, and those that it links to.
import { html } from './vendor/ui.js';
import { LinksTo } from './around.js';
import { Outline } from './outline.js';
import { Passages } from './passages.js';
import { openNote, route } from './state.js';

export function Side() {
  const note = openNote.value;
  if (!note || route.value.view !== 'note') return null;
  return html`<div class="beside" key=${note.name}>
    <${Outline} note=${note} />
    <${Passages} note=${note} />
    <${LinksTo} note=${note} />
  </div>`;
}
