// Why is this here? The passages of a note, each with the edit that wrote it and the conversation of that edit.
import { html, useState } from '../vendor/ui.js';
import { api } from '../server/api.js';
import { isolated } from '../common/bidi.js';
import { Dialog } from '../common/dialog.js';
import { ErrorMessage, Waiting, useLoad } from '../common/load.js';
import { timeText } from '../common/when.js';
import { byOthers } from '../common/who.js';
import { editHash } from '../navigation.js';
import { isOwn } from './past.js';

/**
 * @import { Origins } from '../messages.d.ts'
 * @typedef {Origins['passages'][number]} Passage
 */

const MOST = 200; // passages that are shown

/**
 * A dialog with the passages of a note and where each comes from. `chosen`: the words that the person has selected in
 * the note; if there are passages with these words, only those are shown.
 * @param {{ name: string, chosen: string, onClose: () => void }} props
 */
export function Why({ name, chosen, onClose }) {
  const [words] = useState(chosen); // the selection ends when the dialog opens
  const { data, error, again } = useLoad(() => api.why(name), [name]);
  const passages = data ? passagesWith(data.passages, words) : [];
  return html`<${Dialog} title=${`Where ${isolated(name)} comes from`} onClose=${onClose} wide>
    <${ErrorMessage} error=${error} again=${again} />
    ${!data && !error && html`<${Waiting} />`}
    ${data && !passages.length && html`<p class="empty">The note has no words.</p>`}
    <ul class="rows">
      ${passages.slice(0, MOST).map(
        (one) => html`<li key=${`${one.first} ${one.text}`}>
          <blockquote dir="auto">${one.text}</blockquote>
          <p class="quiet">${originOf(one)}${
            one.edit ? html` <a href=${editHash(String(one.edit))}>Edit ${one.edit}</a>` : ''
          }</p>
        </li>`,
      )}
    </ul>
    ${
      passages.length > MOST &&
      html`<p>Only the first ${MOST} passages are shown. To see others, select words in the note and ask again.</p>`
    }
    <div class="actions"><button type="button" data-first onClick=${onClose}>Close</button></div>
  <//>`;
}

/** @returns {string[]} */
const wordsOf = (/** @type {string} */ text) => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

/**
 * Return the passages with two neighbouring chosen words, which may stand in two passages, or with the only chosen
 * word; all passages if none has them.
 */
export function passagesWith(/** @type {Passage[]} */ passages, /** @type {string} */ chosen) {
  const wanted = wordsOf(chosen);
  const pairs = new Set(wanted.slice(1).map((word, at) => `${wanted[at]} ${word}`));
  const words = passages.flatMap((passage) => wordsOf(passage.text).map((word) => ({ word, passage })));
  const fit = new Set(
    words.flatMap(({ word, passage }, at) => {
      if (wanted.length === 1) return word === wanted[0] ? [passage] : [];
      const next = words[at + 1];
      return next && pairs.has(`${word} ${next.word}`) ? [passage, next.passage] : [];
    }),
  );
  return fit.size ? [...fit] : passages;
}

/** Return where a passage comes from, as a sentence. */
export function originOf(/** @type {Passage} */ one) {
  if (one.time === null) return `${one.did[0].toUpperCase()}${one.did.slice(1)}.`;
  const who = one.outside ? byOthers(one.outside) : isOwn(one.client) ? 'You' : one.client || 'Somebody';
  const when = one.time ? `, ${timeText(one.time)}` : '';
  const before = one.earliest === null ? '' : ' (or an earlier edit: older texts are not kept)';
  const imported = `, from the conversation “${one.title}” with ${one.imported}`;
  const began = one.title ? `, in the conversation that began with “${one.title}”` : '';
  const said = one.said ? ` You had said: “${one.said}”` : '';
  return `${who}${when}${before}${one.imported ? imported : began}.${said}`;
}
