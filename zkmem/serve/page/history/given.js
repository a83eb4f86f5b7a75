// What hooks of clients have given to models: when, to which session, and which notes.
import { html, useState } from '../vendor/ui.js';
import { api } from '../server/api.js';
import { ErrorMessage, Waiting, useLoad } from '../common/load.js';
import { noteHash } from '../navigation.js';
import { When } from '../common/when.js';

/** @type {Record<string, string>} */
const EVENTS = {
  'session-start': 'at the start of a session',
  compaction: 'after a compaction',
  prompt: 'with a prompt',
  'turn-end': 'at the end of a turn',
};

/** A part of the history that is loaded when it is opened. */
export function GivenToModels() {
  const [open, setOpen] = useState(false);
  return html`<details class="changes" onToggle=${(/** @type {{ currentTarget: HTMLDetailsElement }} */ event) =>
    setOpen(event.currentTarget.open)}>
    <summary>What models were given</summary>
    ${open && html`<${Given} />`}
  </details>`;
}

function Given() {
  const { data, error, again } = useLoad(() => api.given(), []);
  return html`<${ErrorMessage} error=${error} again=${again} />
    ${!data && !error && html`<${Waiting} />`}
    ${data && !data.given.length && html`<p class="empty">No hook has given a note to a model yet.</p>`}
    <ul class="rows" aria-label="What models were given">
      ${data?.given.map(
        ({ time, client, session, event, notes }) => html`<li>
          <${When} time=${time} /> ${EVENTS[event]} <span class="tag">${client}</span>
          <span class="quiet"> session ${session.slice(0, 4)}</span>
          <span class="meta">${
            notes.length
              ? notes.map((name, at) => html`${at > 0 && ', '}<a href=${noteHash(name)}>${name}</a>`)
              : 'no note'
          }</span>
        </li>`,
      )}
    </ul>`;
}
