// Sentences of other notes that still have a value which an edit has replaced, each with a button that mends it.
import { html, useState } from '../vendor/ui.js';
import { api } from '../server/api.js';
import { ErrorMessage } from '../common/load.js';
import { noteHash } from '../navigation.js';
import { useAction } from '../common/preview.js';

/** @import { Outdated } from '../messages.d.ts' */

/** @param {{ outdated: Outdated[] }} props */
export function OutdatedSentences({ outdated }) {
  if (!outdated.length) return null;
  return html`<ul class="outdated" aria-label="Other notes that still have it">
    ${outdated.map((one) => html`<${Sentence} key=${`${one.note} ${one.old}`} one=${one} />`)}
  </ul>`;
}

/** @param {{ one: Outdated }} props */
function Sentence({ one }) {
  const { note, passage, new: now } = one;
  const [isMended, setMended] = useState(false);
  const { act, busy, error } = useAction(async () => {
    await mend(one);
    setMended(true);
  });
  return html`<li>
    <a href=${noteHash(note)}>${note}</a>: ${isMended ? one.mended : passage}${' '}
    ${
      isMended
        ? html`<span class="tag">mended</span>`
        : html`<button type="button" onClick=${act} disabled=${busy}><span>Put ${now} there</span></button>`
    }
    <${ErrorMessage} error=${error} />
  </li>`;
}

/** Put the mended sentence in place of the one that the note had, if it still has it once. */
async function mend(/** @type {Outdated} */ { note, passage, mended }) {
  const { text, etag, next_offset: next } = await api.note(note);
  const at = text.indexOf(passage);
  if (next !== null || at < 0 || text.includes(passage, at + 1)) throw new Error('Open the note to mend it.');
  await api.save(note, text.slice(0, at) + mended + text.slice(at + passage.length), etag);
}
