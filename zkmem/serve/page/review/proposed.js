// The edits that clients have proposed: a card for each client, to accept or drop all of them or some.
import { html, useState } from '../vendor/ui.js';
import { api } from '../server/api.js';
import { directionless, isolated } from '../common/bidi.js';
import { Boundary } from '../common/boundary.js';
import { ChangedNotes } from './changed.js';
import { Size } from './size.js';
import { Dialog, Question } from '../common/dialog.js';
import { TwoVersions } from '../editor/later.js';
import { hueOf } from '../common/hue.js';
import { ErrorMessage, Waiting, formatNumber, numberOf, useChanges, useLoad } from '../common/load.js';
import { useAction } from '../common/preview.js';
import { Sentence } from '../common/sentence.js';
import { proposed, vault } from '../state.js';
import { toast } from '../common/toasts.js';
import { When } from '../common/when.js';
import { groupsOf, withDependent, withToggled } from './choosing.js';
import { isDestroying } from './brief.js';
import { isImport, summaryOf } from './groups.js';
import { Imported, useGroups } from './imported.js';
import { fetchProposed } from './proposals.js';

/**
 * @import * as Messages from '../messages.d.ts'
 * @typedef {Messages.ChangeSets['change_sets'][number]} ChangeSet
 * @typedef {ChangeSet['edits'][number]} Edit
 * @typedef {Messages.Accepted['left'][number]} Left
 * @typedef {Messages.Blocked} Blocked
 * @typedef {(edit: number) => void} Merge
 */

const FEW = 1; // a card with more notes shows them closed, so that what was done is in view below the cards
const MOST = 100; // notes of one answer

/** The cards of all clients; nothing if no edits wait. */
export const Proposed = () =>
  proposed.value.map((set) => html`<${Boundary} key=${set.client}><${Card} set=${set} /></${Boundary}>`);

/** @param {{ set: ChangeSet }} props */
function Card({ set }) {
  const { client, name: who, total, notes, more, files, ended: seen } = set;
  const [isChoosing, setChoosing] = useState(false);
  const [ticked, setChosen] = useState(/** @type {Set<number>} */ (new Set()));
  const imported = isImport(set);
  const groups = useGroups(set);
  const edits = imported ? groups.edits : set.edits;
  const chosen = new Set(edits.map(({ edit }) => edit).filter((edit) => ticked.has(edit)));
  const choosing = imported ? chosen.size > 0 : isChoosing;
  const [dropping, setDropping] = useState(false);
  const [merging, setMerging] = useState(/** @type {number | null} */ (null)); // whose two versions are shown
  const [left, setLeft] = useState(/** @type {Left[]} */ ([]));
  const [made, setMade] = useState(0); // how many edits the last answer accepted
  const what = imported ? 'note' : 'edit';
  const check = useLoad(() => api.blocked(client), [client, seen, total]);
  useChanges(check.again);
  const blocked = check.data ?? { edits: [], unchecked: 0 };
  const some = () => (choosing ? { edits: edits.map(({ edit }) => edit).filter((edit) => chosen.has(edit)) } : {});
  const ended = () => {
    setChosen(new Set());
    return fetchProposed();
  };
  const accept = useAction(async () => {
    const done = await api.accept({ client, seen, ...some() });
    setLeft(done.left);
    setMade(done.accepted.length);
    const count = numberOf(done.accepted.length, what);
    if (done.accepted.length && !done.left.length) toast(`Accepted: ${count} by ${who}.`);
    await ended();
  });
  const drop = useAction(async () => {
    const { dropped } = await api.drop({ client, seen, ...some() });
    toast(`Dropped: ${numberOf(dropped.length, what)} by ${who}.`);
    await ended();
  });
  const settled = () => {
    setLeft([]);
    return ended();
  };
  const later = choosing ? withDependent(edits, chosen).size - chosen.size : 0;
  const needing = later ? `, and ${numberOf(later, 'later edit')} that ${later === 1 ? 'needs' : 'need'} them,` : '';
  const toDrop = choosing ? `${numberOf(chosen.size, `chosen ${what}`)}${needing}` : `All proposed ${what}s (${total})`;
  const onDrop = (/** @type {boolean} */ yes) => {
    setDropping(false);
    if (yes) drop.act();
  };
  const busy = accept.busy || drop.busy || (choosing && !chosen.size);
  // many edits of an import are always unchecked
  const showsBlocked = !left.length && !choosing && (!imported || blocked.edits.length > 0);
  const which = choosing ? `chosen (${formatNumber(chosen.size)})` : 'all';
  const size = `${numberOf(total, 'edit')} in ${numberOf(notes.length + more, 'note')}`;
  return html`<article class="card new" style=${{ '--hue': hueOf(who) }} aria-label=${`Proposed by ${who}`}>
    <header>
      <h3>${imported ? summaryOf(set) : `${who} proposes`}</h3>
      <span class="quiet"><${When} time=${set.ended} since=${set.began} />${!imported && ` · ${size}`}</span>
    </header>
    <p class="quiet">These ${what}s are not made yet. What you and others write meanwhile stays.</p>
    ${files.length > 0 && html`<p class="quiet names">Other files change, too: ${files.map(isolated).join(', ')}.</p>`}
    ${imported && html`<${Imported} set=${set} groups=${groups} chosen=${chosen} setChosen=${setChosen} />`}
    ${
      !imported &&
      (choosing
        ? html`<${Choice} set=${set} blocked=${blocked} chosen=${chosen} setChosen=${setChosen} merge=${setMerging} />`
        : html`<${Notes} key=${`${set.ended} ${total}`} set=${set} />`)
    }
    ${
      left.length > 0 &&
      html`<${LeftOut} client=${client} left=${left} made=${made} done=${settled}
      merge=${setMerging} />`
    }
    ${showsBlocked && html`<${BlockedEdits} edits=${edits} blocked=${blocked} merge=${setMerging} />`}
    ${
      vault.value?.can_write &&
      html`<div class="toolbar" role="toolbar" aria-label=${`Proposed by ${who}`}>
        <button type="button" class="primary" onClick=${accept.act} disabled=${busy}>Accept ${which}</button>
        <button type="button" class="danger" onClick=${() => setDropping(true)} disabled=${busy}>Drop ${which}…</button>
        ${
          !imported &&
          html`<button type="button" aria-expanded=${choosing} onClick=${() => setChoosing(!choosing)}>${
            choosing ? 'Show all changes' : 'Choose edits'
          }</button>`
        }
      </div>`
    }
    <${ErrorMessage} error=${accept.error ?? drop.error} />
    ${
      merging !== null &&
      html`<${Merging} client=${client} edit=${merging} onClose=${() => setMerging(null)} onDone=${settled} />`
    }
    ${
      dropping &&
      html`<${Question} title="Drop these edits?" yes="Drop" danger onAnswer=${onDrop}>
        <p>${`${toDrop} by ${who} will be removed for good.`}</p>
      <//>`
    }
  </article>`;
}

/**
 * The notes that the proposed edits change: a line for each note, which opens.
 * @param {{ set: ChangeSet }} props
 */
function Notes({ set: { client, notes, more } }) {
  return html`${notes.map(
    ({ name, outcome, words, added, removed, first, notes: count }) => html`<details class="proposed-note" key=${name}
        open=${notes.length <= FEW}>
        <summary><strong>${name}</strong> <span
          class=${isDestroying(outcome) ? 'destroyed' : 'quiet'}>${directionless(words)}</span>${
            !isDestroying(outcome) && html` <${Size} added=${added} removed=${removed} />`
          }</summary>
        <${ChangedNotes} load=${() => api.proposedChanges(client, undefined, first, count)} keys=${[client, first]} />
      </details>`,
  )}
  ${more > 0 && html`<p class="quiet">${numberOf(more, 'more note')}</p>`}`;
}

/**
 * The edits, each with a box. Ticking one also ticks the edits that it needs; unticking one also unticks the edits that
 * need it.
 * `merge` shows both versions of the note that a blocked edit changes.
 * @param {{ set: ChangeSet, blocked: Blocked, chosen: Set<number>, setChosen: (chosen: Set<number>) => void,
 *   merge: Merge }} props
 */
function Choice({ set: { client, edits, total }, blocked, chosen, setChosen, merge }) {
  const reasons = new Map(blocked.edits.map((one) => [one.edit, one]));
  const [shown, setShown] = useState(/** @type {number | null} */ (null));
  const toggle = (/** @type {number[]} */ group) => setChosen(withToggled(edits, chosen, group));
  return html`<div class="toolbar" role="group" aria-label="Choose by client, folder or kind">
      ${groupsOf(edits).map(
        (group) => html`<button type="button" key=${group.label} aria-pressed=${pressed(group.edits, chosen)}
          onClick=${() => toggle(group.edits)}>${group.label} <span class="count">${formatNumber(
            group.edits.length,
          )}</span></button>`,
      )}
    </div>
    <ul class="proposed-edits">
      ${edits.map(
        ({ edit, title, needs }) => html`<li key=${edit}>
          <label title=${`Edit ${edit}`}><input type="checkbox" checked=${chosen.has(edit)}
            onChange=${() => toggle([edit])} /> <span>${title}</span></label>${' '}
          ${needs.length > 0 && html`<span class="quiet">after ${titlesOf(edits, needs)}</span>${' '}`}
          ${
            reasons.has(edit) &&
            html`<p class="notice warn"><${Reason} left=${reasons.get(edit)}
            merge=${merge} /></p>`
          }
          <button type="button" class="quiet" aria-expanded=${shown === edit}
            onClick=${() => setShown(shown === edit ? null : edit)}>${shown === edit ? 'Hide' : 'Show'}<span
              class="unseen"> ${title}</span></button>
          ${
            shown === edit &&
            html`<${ChangedNotes} load=${() => api.proposedChanges(client, edit, 0, MOST)} keys=${[client, edit]} />`
          }
        </li>`,
      )}
    </ul>
    ${
      edits.length < total &&
      html`<p class="quiet">Accept or drop some of these to see ${numberOf(total - edits.length, 'more edit')}.</p>`
    }`;
}

/**
 * The edits that cannot be accepted as the notes are now, and why.
 * @param {{ edits: Edit[], blocked: Blocked, merge: Merge }} props
 */
function BlockedEdits({ edits, blocked: { edits: blocked, unchecked }, merge }) {
  const rest =
    unchecked > 0 &&
    html`<p class="quiet">${numberOf(unchecked, 'later edit')} ${unchecked === 1 ? 'is' : 'are'} not checked yet.</p>`;
  if (!blocked.length) return rest || null;
  return html`<div class="notice warn" role="note">
    <p>${numberOf(blocked.length, 'edit')} cannot be accepted as the notes are now:</p>
    <ul>${blocked.map(
      (left) => html`<li key=${left.edit}>
        <strong>${titlesOf(edits, [left.edit])}</strong>: <${Reason} left=${left} merge=${merge} /></li>`,
    )}</ul>
    ${rest}
  </div>`;
}

/** Return whether all, none or some of a group are chosen, for `aria-pressed`. */
const pressed = (/** @type {number[]} */ group, /** @type {Set<number>} */ chosen) =>
  group.every((edit) => chosen.has(edit)) ? 'true' : group.some((edit) => chosen.has(edit)) ? 'mixed' : 'false';

const titlesOf = (/** @type {Edit[]} */ edits, /** @type {number[]} */ numbers) =>
  numbers.map((number) => edits.find(({ edit }) => edit === number)?.title ?? `edit ${number}`).join(', ');

/**
 * The edits that could not be made, and why; `made`: how many were made.
 * @param {{ client: string, left: Left[], made: number, done: () => Promise<void>, merge: Merge }} props
 */
function LeftOut({ client, left, made, done, merge }) {
  const gone = left.filter((one) => one.gone).map(({ edit }) => edit);
  const keep = useAction(async () => {
    await api.accept({ client, edits: gone, as_new: true });
    await done();
  });
  return html`<div class="trouble" role="alert">
    ${made > 0 && html`<p>Accepted: ${numberOf(made, 'edit')}.</p>`}
    <p>${numberOf(left.length, 'edit')} could not be made, and still ${left.length === 1 ? 'waits' : 'wait'}:</p>
    <ul>${left.map((one) => html`<li key=${one.edit}><${Reason} left=${one} merge=${merge} /></li>`)}</ul>
    ${
      gone.length > 0 &&
      html`<button type="button" onClick=${keep.act} disabled=${keep.busy}>Keep as ${
        gone.length === 1 ? 'a new note' : 'new notes'
      }</button>`
    }
    <${ErrorMessage} error=${keep.error} />
  </div>`;
}

/**
 * Why an edit cannot be accepted, and a way to merge it.
 * @param {{ left: Left, merge: Merge }} props
 */
const Reason = ({ left: { edit, reason, note }, merge }) =>
  html`<${Sentence} text=${reason} />${
    note &&
    vault.value?.can_write &&
    html` <button type="button" onClick=${() => merge(edit)}>Open both versions<span
    class="unseen"> of ${note}</span>…</button>`
  }`;

/**
 * Both versions of a note that a proposed edit changes: the person saves a text that is merged from them.
 * @param {{ client: string, edit: number, onClose: () => void, onDone: () => unknown }} props
 */
function Merging({ client, edit, onClose, onDone }) {
  const [isTyped, setTyped] = useState(false); // then Escape does not throw it away
  const { data, error } = useLoad(async () => {
    const { base, mine, theirs, ...note } = await api.proposedVersions(client, edit);
    return { ...note, texts: { base, mine, theirs, ...(await api.merge({ base, mine, theirs })) } };
  }, [client, edit]);
  const save = async (/** @type {string} */ text) => {
    const { left } = await api.accept({ client, edits: [edit], text, etag: data?.etag });
    if (left.length) throw new Error(left[0].reason);
    toast(`Accepted, as you merged it: ${isolated(data?.name ?? '')}.`);
    onClose();
    await onDone();
  };
  return html`<${Dialog} title="Merge the proposed edit" onClose=${onClose} busy=${isTyped} wide>
    <${ErrorMessage} error=${error} />
    ${!data && !error && html`<${Waiting} />`}
    ${
      data
        ? html`<div class="editor"><${TwoVersions} kind="proposed" name=${data.name} texts=${data.texts} onSave=${save}
            onChange=${() => setTyped(true)} onBack=${onClose} back="Cancel" /></div>`
        : html`<div class="actions"><button type="button" data-first onClick=${onClose}>Cancel</button></div>`
    }
  <//>`;
}
