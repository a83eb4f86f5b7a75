// The review: proposed edits, what happened since the person last looked, and the sittings.
import { html, useEffect, useState } from '../vendor/ui.js';
import { api } from '../server/api.js';
import { hueOf } from '../common/hue.js';
import { ErrorMessage, Waiting, numberOf, useChanges, useLoad } from '../common/load.js';
import { reviewHash } from '../navigation.js';
import { useElement } from '../common/refs.js';
import { proposed, unseen } from '../state.js';
import { When } from '../common/when.js';
import { nameOf } from '../common/who.js';
import { countText, filterOf } from './brief.js';
import { News } from './news.js';
import { Proposed } from './proposed.js';

/**
 * @import * as Messages from '../messages.d.ts'
 * @typedef {Messages.Review['sittings'][number]} Sitting
 */

const COUNT = 20; // sittings

/** @param {{ query: string | null }} props `query`: which lines are shown, as the address says it */
export function Review({ query }) {
  const waits = proposed.value.length > 0;
  return html`<article class="home review" aria-label="Review">
    ${
      waits && html`<section aria-label="Proposed edits"><h2 class="title">Proposed edits</h2><${Proposed} /></section>`
    }
    <h2 class=${waits ? 'title' : 'unseen'} tabindex="-1">${waits ? 'What happened' : 'Review'}</h2>
    <${News} filter=${filterOf(query)} />
    ${!query && html`<${Sittings} />`}
    <p class="quiet"><a href="#/history">History of all edits</a></p>
  </article>`;
}

/** All sittings, the newest first, also those that the person has seen or undone. */
function Sittings() {
  const [pages, setPages] = useState(1);
  const { data, error, again } = useLoad(() => loadPages(pages), [pages]);
  useChanges(again);
  const details = useElement(HTMLDetailsElement);
  useEffect(() => {
    if (unseen.value === 0) details.current.open = true; // otherwise the review would show nothing
  }, [unseen.value]);
  const sittings = data?.sittings ?? [];
  return html`<details class="sittings-section" ref=${details}>
    <summary>All sittings</summary>
    <${ErrorMessage} error=${error} again=${again} />
    ${!data && !error && html`<${Waiting} />`}
    ${
      data &&
      !sittings.length &&
      html`<p class="empty">No tool has edited this vault yet. From the first edit by a tool on, changes by hand
        are listed, too.</p>`
    }
    <ul class="sittings" aria-label="All sittings">
      ${sittings.map((one) => html`<${SittingRow} key=${one.edit} sitting=${one} />`)}
    </ul>
    ${data?.next && html`<button type="button" onClick=${() => setPages(pages + 1)}>Show older ones</button>`}
  </details>`;
}

/** Load the first pages of sittings, and join them. */
async function loadPages(/** @type {number} */ pages) {
  const whole = await api.review(null, COUNT);
  for (let page = 1; page < pages && whole.next; page += 1) {
    const { sittings, next } = await api.review(whole.next, COUNT);
    whole.sittings.push(...sittings);
    whole.next = next;
  }
  return whole;
}

/** @param {{ sitting: Sitting }} props */
function SittingRow({ sitting }) {
  const { edit, client, version, outside, edits, counts, more, began, ended, undone, edits_undone: some } = sitting;
  const what = outside ? 'change' : 'edit';
  const texts = counts.map((count, at) => countText(count, at === 0));
  if (more) texts.push(numberOf(more, 'more note'));
  return html`<li style=${{ '--hue': hueOf(client || outside) }}>
    <a href=${reviewHash({ sitting: String(edit) })}>
      <i class="dot" aria-hidden="true"></i><strong title=${version}>${nameOf(sitting)}</strong>:${' '}
      ${[numberOf(edits, what), ...texts].join(', ')}
      ${undone && html` <span class="tag">undone</span>`}
      ${!undone && some > 0 && html` <span class="tag">${numberOf(some, what)} undone</span>`}
      ${sitting.synchronised && html` <span class="tag">from another machine</span>`}
      <span class="meta"><${When} time=${ended} since=${began} /></span>
    </a>
  </li>`;
}
