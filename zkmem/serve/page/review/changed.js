// What edits did to notes: the changed blocks of each, with the words that were added and removed.
import { html, useState } from '../vendor/ui.js';
import { Body } from '../note/body.js';
import { Boundary } from '../common/boundary.js';
import { ErrorMessage, Waiting, formatNumber, numberOf, useLoad } from '../common/load.js';
import { AsItWas } from '../history/moments.js';
import { noteHash } from '../navigation.js';
import { useAction } from '../common/preview.js';
import { api } from '../server/api.js';

/** @import * as Messages from '../messages.d.ts' */

/**
 * The changed notes of some edits, and a button for more. `load` returns those from the note numbered `from` on.
 * @param {{ load: (from: number) => Promise<Messages.Changes>, keys: unknown[], total: number }} props
 */
export function ChangedNotes({ load, keys, total }) {
  const { data, error, again } = useLoad(() => load(0), keys);
  const [more, setMore] = useState(/** @type {Messages.Changes['notes']} */ ([]));
  const notes = [...(data?.notes ?? []), ...more];
  const next = useAction(async () => {
    const { notes: following } = await load(notes.length);
    setMore([...more, ...following]);
  });
  if (!data) return error ? html`<${ErrorMessage} error=${error} again=${again} />` : html`<${Waiting} />`;
  return html`${notes.map((note) => html`<${Changed} key=${note.name} note=${note} />`)}
    ${
      notes.length < total &&
      html`<button type="button" onClick=${next.act} disabled=${next.busy}>
        <span>Show ${numberOf(total - notes.length, 'more note')}</span>
      </button>`
    }
    <${ErrorMessage} error=${next.error} />`;
}

/** @param {{ note: Messages.Changes['notes'][number] }} props */
function Changed({ note }) {
  const { name, was, outcome, added, removed, left, trouble, warnings, outdated, html: source } = note;
  return html`<section class="changed" aria-label=${name}>
    <h4>
      ${was && was !== name && html`<span class="was">${was}</span> → `}
      ${outcome === 'deleted' ? html`<span class="was">${name}</span>` : html`<a href=${noteHash(name)}>${name}</a>`}
      ${' '}<span class="tag">${outcome}</span>
      ${outcome === 'deleted' && html`${' '}<${AsItWas} name=${name} />`}
      ${' '}<${Words} added=${added} removed=${removed} />
    </h4>
    ${source && html`<${Boundary}><${Body} name=${name} source=${source} isPreview /></${Boundary}>`}
    ${left > 0 && html`<p class="quiet">${numberOf(left, 'more changed block')}</p>`}
    ${trouble && html`<p class="quiet">${trouble}</p>`}
    ${warnings.map((warning) => html`<p class="notice warn" key=${warning}>${warning}</p>`)}
    ${outdated.length > 0 && html`<p class="quiet">Other notes still have what was replaced:</p>`}
    <${OutdatedSentences} outdated=${outdated} />
  </section>`;
}

/** @param {{ added: number, removed: number }} props */
function Words({ added, removed }) {
  if (!added && !removed) return null;
  return html`<span class="words" aria-label=${`${numberOf(added, 'word')} added, ${formatNumber(removed)} removed`}>
    ${added > 0 && html`<ins class="marked">+${formatNumber(added)}</ins>`}${' '}
    ${removed > 0 && html`<del class="marked">−${formatNumber(removed)}</del>`}
  </span>`;
}

/**
 * Sentences of other notes that still have a value which an edit has replaced, each with a button that mends it.
 * @param {{ outdated: Messages.Outdated[] }} props
 */
export function OutdatedSentences({ outdated }) {
  if (!outdated.length) return null;
  return html`<ul class="outdated" aria-label="Other notes that still have it">
    ${outdated.map((one) => html`<${Sentence} key=${`${one.note} ${one.old}`} one=${one} />`)}
  </ul>`;
}

/** @param {{ one: Messages.Outdated }} props */
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

/** Replace the outdated sentence of a note by the mended one, if the note still has it exactly once. */
async function mend(/** @type {Messages.Outdated} */ { note, passage, mended }) {
  const { text, etag, next_offset: next } = await api.note(note);
  const at = text.indexOf(passage);
  if (next !== null || at < 0 || text.includes(passage, at + 1)) throw new Error('Open the note to mend it.');
  await api.save(note, text.slice(0, at) + mended + text.slice(at + passage.length), etag);
}
