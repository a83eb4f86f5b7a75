// The sentences of other notes about the open one: those that link to it, and those that name it without a link.
import { html } from '../vendor/ui.js';
import { api } from '../server/api.js';
import { ErrorMessage, formatNumber, moveInList, useChanges, useLoad } from '../common/load.js';
import { noteHash } from '../navigation.js';
import { useAction } from '../common/preview.js';
import { canWrite } from '../state.js';
import { toast } from '../common/toasts.js';

/**
 * @import * as Messages from '../messages.d.ts'
 * @import { ComponentChildren } from '../vendor/ui.js'
 */

/** @param {{ note: Messages.Note }} props */
export function Passages({ note }) {
  const { data, error, again } = useLoad(() => api.mentions(note.name), [note.name, note.etag]);
  useChanges(again);
  const shown = new Set(data?.backlinks.map(({ name }) => name));
  const others = note.backlinks.filter((name) => !shown.has(name)); // without a sentence, or not loaded yet
  const left = note.backlink_count - note.backlinks.length;
  const linkTo = (/** @type {Messages.Passage} */ passage) =>
    canWrite(passage.name) && html`<${LinkButton} passage=${passage} to=${note.name} again=${again} />`;
  return html`<section aria-label="Linked from">
      <h3>Linked from <span class="count">${formatNumber(note.backlink_count)}</span></h3>
      ${!note.backlink_count && html`<p class="quiet">No note links here yet.</p>`}
      <ul class="passages" onKeyDown=${moveInList}>
        ${data?.backlinks.map((one) => html`<${Sentence} key=${one.name} ...${one} />`)}
        ${others.map((name) => html`<li key=${name}><a href=${noteHash(name)} data-row>${name}</a></li>`)}
      </ul>
      ${left > 0 && html`<p class="quiet">… and ${formatNumber(left)} more</p>`}
      <${ErrorMessage} error=${error} again=${again} />
    </section>
    ${
      data &&
      data.mentions.length > 0 &&
      html`<section aria-label="Unlinked mentions">
        <h3>Unlinked mentions <span class="count">${data.mentions.length}</span></h3>
        <ul class="passages" onKeyDown=${moveInList}>
          ${data.mentions.map((one) => html`<${Sentence} key=${one.name} ...${one}>${linkTo(one)}<//>`)}
        </ul>
      </section>`
    }
    ${data?.remarks.map((remark) => html`<p class="quiet" key=${remark}>${remark}</p>`)}`;
}

/** @param {Messages.Passage & { children?: ComponentChildren }} props */
const Sentence = ({ name, before, shown, after, children }) => html`<li>
  <a href=${noteHash(name)} data-row>${name}</a>
  <p dir="auto">${before}<b>${shown}</b>${after}</p>
  ${children}
</li>`;

/** @param {{ passage: Messages.Passage, to: string, again: () => void }} props */
function LinkButton({ passage: { name, shown, start, etag }, to, again }) {
  const { act, busy, error } = useAction(async () => {
    const done = await api.link({ name, passage: shown, start, to, etag });
    toast([`${done.name} links to ${to} now.`, ...done.remarks].join(' '));
    again();
  });
  return html`<button type="button" onClick=${act} disabled=${busy}
    aria-label=${`Link “${shown}” in ${name}`}>Link</button><${ErrorMessage} error=${error} />`;
}
