// What others did to a note while it was being edited: told at once, and what came in with a merge.
import { html } from './vendor/ui.js';
import { Lines } from './diff.js';
import { counted } from './load.js';

const SAID = {
  changed: (who) =>
    `This note was changed by ${who} meanwhile. ` +
    'Your text is untouched; saving merges the two, or shows where they differ.',
  gone: () => 'This note was deleted or renamed meanwhile. Your text is untouched; saving makes the note anew.',
  'taken over': (who) => `This note was changed by ${who} just now; you see the new text.`,
};

export function News({ session }) {
  const said = session.news.value;
  return html`<div class=${said === 'taken over' ? 'notice' : 'notice warn'} role="status">
    <p>${SAID[said](session.author.value)}</p>
    ${said === 'changed' && html`<button type="button" onClick=${() => compare(session)}>Compare</button>`}
    ${said === 'taken over' && html`<button type="button" onClick=${() => (session.news.value = null)}>Good</button>`}
  </div>`;
}

const compare = (session) => session.compare().catch((error) => (session.trouble.value = error));

/** What a save brought in from others, and whatever else there is to say about it. */
export function Merged({ outcome: { merged, remarks, relinked } }) {
  const others =
    relinked.length > 0 && `Links were widened in ${relinked.join(', ')}, so that they mean what they meant.`;
  if (!merged.length && !remarks.length && !others) return null;
  return html`<div class="notice" role="status">
    ${
      merged.length > 0 &&
      html`<p>Saved, and merged with what others had changed
        meanwhile: ${counted(merged.filter((line) => /^[+-]/.test(line)).length, 'line')}.</p>
      <${Lines} lines=${merged} label="Lines that came from others" />`
    }
    ${remarks.map((remark) => html`<p key=${remark}>${remark}</p>`)} ${others && html`<p>${others}</p>`}
  </div>`;
}
