// Changes that others made to a note while it is edited: a notice at once, and what a save merged.
import { html } from './vendor/ui.js';
import { Lines } from './diff.js';
import { counted } from './load.js';

const NOTICES = {
  changed: (who) =>
    `This note was changed by ${who} while you edited it. ` +
    'Your text is untouched; saving merges the two, or shows where they differ.',
  gone: () =>
    'This note was deleted or renamed while you edited it. Your text is untouched; saving creates the note again.',
  'taken over': (who) => `This note was changed by ${who} just now; you see the new text.`,
};

export function News({ session }) {
  const news = session.news.value;
  return html`<div class=${news === 'taken over' ? 'notice' : 'notice warn'} role="status">
    <p>${NOTICES[news](session.author.value)}</p>
    ${news === 'changed' && html`<button type="button" onClick=${() => compare(session)}>Compare</button>`}
    ${news === 'taken over' && html`<button type="button" onClick=${() => (session.news.value = null)}>OK</button>`}
  </div>`;
}

const compare = (session) => session.compare().catch((error) => (session.trouble.value = error));

/** The changes of others that a save merged, and its other remarks. */
export function Merged({ outcome: { merged, remarks, relinked } }) {
  const changes = merged.filter((line) => /^[+-]/.test(line));
  const others =
    relinked.length > 0 && `Links were widened in ${relinked.join(', ')}, so that they mean what they meant.`;
  if (!merged.length && !remarks.length && !others) return null;
  return html`<div class="notice" role="status">
    ${
      merged.length > 0 &&
      html`<p>Saved, and merged with the changes of others: ${counted(changes.length, 'line')}.</p>
      <${Lines} lines=${merged} label="Lines that came from others" />`
    }
    ${remarks.map((remark) => html`<p key=${remark}>${remark}</p>`)} ${others && html`<p>${others}</p>`}
  </div>`;
}
