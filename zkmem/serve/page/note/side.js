// What is beside an open note: its outline, the notes that link to it, and those that it links to.
import { html } from '../vendor/ui.js';
import { canWrite, openNote, route } from '../state.js';
import { linkHash, noteHash, placeHash } from '../navigation.js';
import { OUTSIDE } from './places.js';
import { api } from '../server/api.js';
import { ErrorMessage, formatNumber, moveInList, useChanges, useLoad } from '../common/load.js';
import { useAction } from '../common/preview.js';
import { toast } from '../common/toasts.js';

/**
 * @import { Note, Passage } from '../messages.d.ts'
 * @import { ComponentChildren } from '../vendor/ui.js'
 * @typedef {{ level: number, text: string, subpath: string }} Heading
 */

const MOST_HEADINGS = 200;

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

/**
 * The headings of the note, as links that lead to them.
 * @param {{ note: Note }} props
 */
function Outline({ note: { html: source, headings: whole } }) {
  const rows = whole.length ? whole : headings(source);
  if (rows.length < 2) return null;
  const top = Math.min(...rows.map(({ level }) => level));
  return html`<section aria-label="Outline">
    <h3>Outline</h3>
    <ul class="outline">
      ${rows.map(
        ({ level, text, subpath }, at) => html`<li key=${at} style=${{ '--level': level - top }}>
          <a href=${placeHash(subpath)}>${text}</a></li>`,
      )}
    </ul>
  </section>`;
}

/**
 * Return the first headings of a text that are its own, each with the subpath that leads to it.
 * @returns {Heading[]}
 */
function headings(/** @type {string} */ source) {
  const { body } = new DOMParser().parseFromString(source, 'text/html');
  const own = [...body.querySelectorAll('[data-heading]')]
    .filter((one) => !one.closest(OUTSIDE))
    .slice(0, MOST_HEADINGS);
  /** @type {{ level: number, key: string }[]} */
  let above = [];
  return own.map((heading) => {
    const level = Number(heading.tagName[1]);
    const key = heading.getAttribute('data-heading') ?? '';
    above = [...above.filter((one) => one.level < level), { level, key }];
    const text = heading.textContent?.trim() || key;
    return { level, text, subpath: above.map((one) => `#${one.key}`).join('') };
  });
}

/**
 * The sentences of other notes about the note: those that link to it, and those that name it without a link.
 * @param {{ note: Note }} props
 */
function Passages({ note }) {
  const { data, error, again } = useLoad(() => api.mentions(note.name), [note.name, note.etag]);
  useChanges(again);
  const shown = new Set(data?.backlinks.map(({ name }) => name));
  const others = note.backlinks.filter((name) => !shown.has(name)); // without a sentence, or not loaded yet
  const moreCount = note.backlink_count - note.backlinks.length;
  const linkTo = (/** @type {Passage} */ passage) =>
    canWrite(passage.name) && html`<${LinkButton} passage=${passage} to=${note.name} again=${again} />`;
  return html`<section aria-label="Linked from">
      <h3>Linked from <span class="count">${formatNumber(note.backlink_count)}</span></h3>
      ${!note.backlink_count && html`<p class="quiet">No note links here yet.</p>`}
      <ul class="passages" onKeyDown=${moveInList}>
        ${data?.backlinks.map((one) => html`<${Sentence} key=${one.name} ...${one} />`)}
        ${others.map((name) => html`<li key=${name}><a href=${noteHash(name)} data-row>${name}</a></li>`)}
      </ul>
      <${More} count=${moreCount} />
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

/** @param {Passage & { children?: ComponentChildren }} props */
const Sentence = ({ name, before, shown, after, children }) => html`<li>
  <a href=${noteHash(name)} data-row>${name}</a>
  <p dir="auto">${before}<b>${shown}</b>${after}</p>
  ${children}
</li>`;

/** @param {{ passage: Passage, to: string, again: () => void }} props */
function LinkButton({ passage: { name, shown, start, etag }, to, again }) {
  const { act, busy, error } = useAction(async () => {
    const done = await api.link({ name, passage: shown, start, to, etag });
    toast([`${done.name} links to ${to} now.`, ...done.remarks].join(' '));
    again();
  });
  return html`<button type="button" onClick=${act} disabled=${busy}
    aria-label=${`Link “${shown}” in ${name}`}>Link</button><${ErrorMessage} error=${error} />`;
}

/** @param {{ note: Note }} props */
function LinksTo({ note: { links, link_count: count } }) {
  return html`<section aria-label="Links to">
    <h3>Links to <span class="count">${formatNumber(count)}</span></h3>
    ${!links.length && html`<p class="quiet">No other note.</p>`}
    <ul class="names" onKeyDown=${moveInList}>
      ${links.map(({ target, name }) => html`<${Name} key=${target} name=${name ?? target} missing=${!name} />`)}
    </ul>
    <${More} count=${count - links.length} />
  </section>`;
}

/**
 * The notes that linked to a note as it was.
 * @param {{ note: Note }} props
 */
function LinkedFrom({ note: { backlinks, backlink_count: count } }) {
  return html`<section aria-label="Linked from">
    <h3>Linked from <span class="count">${formatNumber(count)}</span></h3>
    ${!count && html`<p class="quiet">No note linked here.</p>`}
    <ul class="names" onKeyDown=${moveInList}>
      ${backlinks.map((name) => html`<${Name} key=${name} name=${name} missing=${false} />`)}
    </ul>
    <${More} count=${count - backlinks.length} />
  </section>`;
}

/**
 * The number of rows that a list has left out.
 * @param {{ count: number }} props
 */
export const More = ({ count }) => count > 0 && html`<p class="quiet">… and ${formatNumber(count)} more</p>`;

/** @param {{ name: string, missing: boolean }} props */
function Name({ name, missing }) {
  return html`<li class=${missing ? 'missing' : ''}>
    <a href=${linkHash(name)} data-row>${name}</a>
    ${
      missing &&
      !route.value.at &&
      html` <a class="tag" href=${linkHash(name)}>${canWrite(name) ? 'create' : 'not written yet'}<span
        class="unseen"> ${name}</span></a>`
    }
  </li>`;
}
