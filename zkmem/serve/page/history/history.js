// The history: who changed what, and the ways to undo it.
import { html, useState } from '../vendor/ui.js';
import { api } from '../server/api.js';
import { AsItWas } from './moments.js';
import { Revision } from './revision.js';
import { ErrorMessage, Waiting, moveInList, useChanges, useLoad } from '../common/load.js';
import { isFile } from '../common/names.js';
import { noteHash } from '../navigation.js';
import { Title } from '../note/note.js';
import { isOwn } from './past.js';
import { vault } from '../state.js';
import { TITLES, UndoDialog } from './undo.js';
import { When } from '../common/when.js';
import { byOthers } from '../common/who.js';

/** @import { Edit } from './past.js' */

const COUNT = 100;
/** @type {Record<string, string>} */
const EVENTS = {
  'session-start': 'at the start of a session',
  compaction: 'after a compaction',
  prompt: 'with a prompt',
  'turn-end': 'at the end of a turn',
};

/**
 * The history of one note; with the name null, of the vault; with a number, only that edit.
 * @param {{ name: string | null, number: string | null }} props
 */
export function History({ name, number }) {
  const { data, error, again } = useLoad(() => (number ? api.edit(Number(number)) : api.log(name, COUNT)), []);
  const [opened, setOpened] = useState(number);
  useChanges(again);
  const edits = data?.edits ?? [];
  return html`<article class="history">
    ${
      name
        ? html`<${Title} name=${name} focus />
          ${
            !isFile(name) &&
            html`<p>History of this note. <a href=${noteHash(name)}>Back to the note</a>${' '}
            <${AsItWas} name=${name} /></p>`
          }`
        : html`<h2 class="title" tabindex="-1">${number ? `Edit ${number}` : 'History'}</h2>`
    }
    ${number && html`<p><a href="#/history">History of all edits</a></p>`}
    ${!name && !number && vault.value?.can_write && data && html`<${Undo} edits=${edits} />`}
    ${!name && !number && html`<${GivenToModels} />`}
    <${ErrorMessage} error=${error} again=${again} />
    ${!data && !error && html`<${Waiting} />`}
    ${data && !edits.length && html`<p class="empty">No edit is known.</p>`}
    <ul class="rows" onKeyDown=${moveInList} aria-label="Edits">
      ${edits.map(
        (edit) => html`<li key=${edit.rev}>
          <button type="button" class="row" data-row aria-expanded=${opened === edit.rev}
            onClick=${() => setOpened(opened === edit.rev ? null : edit.rev)}>
            <${When} time=${edit.time} /> <span class="what">${edit.title}</span>
            ${tagsOf(edit).map((tag) => html` <span class="tag" key=${tag}>${tag}</span>`)}
          </button>
          ${opened === edit.rev && html`<${Revision} name=${name} edit=${edit} />`}
        </li>`,
      )}
    </ul>
  </article>`;
}

/** Return who made an edit, and whether it is undone. */
const tagsOf = (/** @type {Edit} */ { client, outside, undone }) =>
  [client && (isOwn(client) ? 'you' : client), outside && byOthers(outside), undone && 'undone'].filter(Boolean);

/**
 * Buttons that undo the last edit, or redo it, after a question that shows what would change.
 * @param {{ edits: Edit[] }} props
 */
function Undo({ edits }) {
  const [action, setAction] = useState(/** @type {'undo' | 'redo' | null} */ (null));
  return html`<div class="toolbar" role="toolbar" aria-label="Undo">
      <button type="button" onClick=${() => setAction('undo')}>Undo the last edit…</button>
      <button type="button" disabled=${!mayRedo(edits)}
        onClick=${() => setAction('redo')}>Redo…</button>
    </div>
    ${
      action &&
      html`<${UndoDialog} which=${{}} action=${action} title=${TITLES[action]} onClose=${() => setAction(null)} />`
    }`;
}

/** Return whether one of these edits is an undo that was not undone itself, or an older edit may be one. */
export const mayRedo = (/** @type {Edit[]} */ edits) =>
  edits.length === COUNT || edits.some(({ tool, undone }) => tool === 'undo' && !undone);

/** What hooks of clients have given to models, when, and to which session. It is loaded when it is opened. */
function GivenToModels() {
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
