// The notes that have a tag, or a tag nested in it.
import { html } from '../vendor/ui.js';
import { api } from '../server/api.js';
import { ErrorMessage, Waiting, moveInList, useChanges, useLoad } from '../common/load.js';
import { noteHash } from '../navigation.js';

const MOST = 1000;

/** @param {{ tag: string }} props */
export function Tag({ tag }) {
  const { data, error, again } = useLoad(
    () => api.search(`tag:"${tag.replaceAll('"', '')}"`, MOST, new AbortController().signal),
    [tag],
  );
  useChanges(again);
  const hits = [...(data?.hits ?? [])].sort((one, other) => one.name.localeCompare(other.name));
  return html`<article class="lists">
    <h2 class="title" tabindex="-1">#${tag} ${data && html`<span class="count">${hits.length}</span>`}</h2>
    <p class="quiet">The notes with this tag, or with one nested in it.</p>
    <${ErrorMessage} error=${error} again=${again} />
    ${!data && !error && html`<${Waiting} />`}
    ${data && !hits.length && html`<p class="empty">No note has this tag.</p>`}
    <ul class="rows" onKeyDown=${moveInList} aria-label=${`Notes with the tag ${tag}`}>
      ${hits.map(({ name }) => html`<li key=${name}><a href=${noteHash(name)} data-row>${name}</a></li>`)}
    </ul>
    ${hits.length === MOST && html`<p class="quiet">At most ${MOST} are shown.</p>`}
  </article>`;
}
