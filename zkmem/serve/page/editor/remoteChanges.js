// Changes that others made to a note while it is edited: a notice at once, and what a save merged.
import { html } from '../vendor/ui.js';
import { isolated } from '../common/bidi.js';
import { Lines } from '../common/diff.js';
import { numberOf } from '../common/load.js';
import { OutdatedSentences } from '../review/outdated.js';

/** @import { Saved, Session } from './session.js' */

/** @type {Record<string, (who: string) => string>} */
const NOTICES = {
  changed: (who) =>
    `This note was changed by ${who} while you edited it. ` +
    'Your text is untouched. Saving merges the two, or shows where they differ.',
  gone: () =>
    'This note was deleted or renamed while you edited it. Your text is untouched; saving creates the note again.',
  'taken over': (who) => `This note was changed by ${who} just now. You see the new text.`,
};

/** @param {{ session: Session }} props */
export function RemoteChangeNotice({ session }) {
  const change = session.remoteChange.value;
  if (!change) return null;
  const close = () => (session.remoteChange.value = null);
  return html`<div class=${change === 'taken over' ? 'notice' : 'notice warn'} role="status">
    <p>${NOTICES[change](session.author.value)}</p>
    ${change === 'changed' && html`<button type="button" onClick=${() => compare(session)}>Compare</button>`}
    ${change === 'taken over' && html`<button type="button" onClick=${close}>OK</button>`}
  </div>`;
}

const compare = (/** @type {Session} */ session) =>
  session.compare().catch((/** @type {Error} */ error) => (session.saveError.value = error));

/**
 * The changes of others that a save merged, and its other remarks.
 * @param {{ saved: Saved }} props
 */
export function Merged({ saved: { merged, remarks, relinked, outdated } }) {
  const changes = merged.filter((line) => /^[+-]/.test(line));
  const others =
    relinked.length > 0 &&
    `Links in ${relinked.map(isolated).join(', ')} were made longer, so that they still lead to the same notes.`;
  if (!merged.length && !remarks.length && !others) return null;
  return html`<div class="notice" role="status">
    ${
      merged.length > 0 &&
      html`<p>Saved, and merged with the changes of others: ${numberOf(changes.length, 'line')}.</p>
      <${Lines} lines=${merged} label="Lines that came from others" />`
    }
    ${remarks.map((remark) => html`<p key=${remark}>${remark}</p>`)} ${others && html`<p>${others}</p>`}
    <${OutdatedSentences} outdated=${outdated} />
  </div>`;
}
