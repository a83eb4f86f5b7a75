// The edits that clients have proposed: a card for each client, to accept or drop all of them or some.
import { effect, html, useState } from '../vendor/ui.js';
import { api } from '../server/api.js';
import { isolated } from '../common/bidi.js';
import { Boundary } from '../common/boundary.js';
import { ChangedNotes } from './changed.js';
import { Question } from '../common/dialog.js';
import { hueOfProposer } from '../common/hue.js';
import { ErrorMessage, numberOf, useChanges, useLoad } from '../common/load.js';
import { useAction } from '../common/preview.js';
import { Sentence } from '../common/sentence.js';
import { changed, connection, proposals, proposed, vault } from '../state.js';
import { toast } from '../common/toasts.js';
import { When } from '../common/when.js';
import { throttled } from '../server/live.js';

/**
 * @import * as Messages from '../messages.d.ts'
 * @typedef {Messages.ChangeSets['change_sets'][number]} ChangeSet
 * @typedef {ChangeSet['edits'][number]} Edit
 * @typedef {Messages.Accepted['left'][number]} Left
 * @typedef {Messages.Blocked} Blocked
 */

/** The cards of all clients; nothing if no edits wait. */
export const Proposed = () =>
  proposed.value.map((set) => html`<${Boundary} key=${set.client}><${Card} set=${set} /></${Boundary}>`);

/** @param {{ set: ChangeSet }} props */
function Card({ set }) {
  const { client, total, notes, more, edits, files, ended: seen } = set;
  const [choosing, setChoosing] = useState(false);
  const [chosen, setChosen] = useState(/** @type {Set<number>} */ (new Set()));
  const [dropping, setDropping] = useState(false);
  const [left, setLeft] = useState(/** @type {Left[]} */ ([]));
  const [made, setMade] = useState(0); // how many edits the last answer accepted
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
    const count = numberOf(done.accepted.length, 'edit');
    if (done.accepted.length && !done.left.length) toast(`Accepted: ${count} by ${client}.`);
    await ended();
  });
  const drop = useAction(async () => {
    const { dropped } = await api.drop({ client, seen, ...some() });
    toast(`Dropped: ${numberOf(dropped.length, 'edit')} by ${client}.`);
    await ended();
  });
  const keptAsNew = () => {
    setLeft([]);
    return ended();
  };
  const later = choosing ? withDependent(edits, chosen).size - chosen.size : 0;
  const needing = later ? `, and ${numberOf(later, 'later edit')} that ${later === 1 ? 'needs' : 'need'} them,` : '';
  const toDrop = choosing ? `${numberOf(chosen.size, 'chosen edit')}${needing}` : `All proposed edits (${total})`;
  const onDrop = (/** @type {boolean} */ yes) => {
    setDropping(false);
    if (yes) drop.act();
  };
  const busy = accept.busy || drop.busy || (choosing && !chosen.size);
  const which = choosing ? 'chosen' : 'all';
  const size = `${numberOf(total, 'edit')} in ${numberOf(notes.length + more, 'note')}`;
  return html`<article class="card new" style=${{ '--hue': hueOfProposer(set) }} aria-label=${`Proposed by ${client}`}>
    <header>
      <h3>${client} proposes</h3>
      <span class="quiet"><${When} time=${set.ended} since=${set.began} />${` · ${size}`}</span>
    </header>
    <p class="quiet">These edits are not made yet. What you and others write meanwhile stays.</p>
    ${files.length > 0 && html`<p class="quiet names">Other files change, too: ${files.map(isolated).join(', ')}.</p>`}
    ${
      choosing
        ? html`<${Choice} set=${set} blocked=${blocked} chosen=${chosen} setChosen=${setChosen} />`
        : html`<${Changes} key=${`${set.ended} ${total}`} client=${client} total=${notes.length + more} />`
    }
    ${left.length > 0 && html`<${LeftOut} client=${client} left=${left} made=${made} done=${keptAsNew} />`}
    ${!left.length && !choosing && html`<${InTheWay} edits=${edits} blocked=${blocked} />`}
    ${
      vault.value?.can_write &&
      html`<div class="toolbar" role="toolbar" aria-label=${`Proposed by ${client}`}>
        <button type="button" class="primary" onClick=${accept.act} disabled=${busy}>Accept ${which}</button>
        <button type="button" class="danger" onClick=${() => setDropping(true)} disabled=${busy}>Drop ${which}…</button>
        <button type="button" aria-expanded=${choosing} onClick=${() => setChoosing(!choosing)}>${
          choosing ? 'Show all changes' : 'Choose edits'
        }</button>
      </div>`
    }
    <${ErrorMessage} error=${accept.error ?? drop.error} />
    ${
      dropping &&
      html`<${Question} title="Drop these edits?" yes="Drop" danger onAnswer=${onDrop}>
        <p>${`${toDrop} by ${client} will be removed for good.`}</p>
      <//>`
    }
  </article>`;
}

/**
 * The changed notes of the proposed edits of a client, or of one of them.
 * @param {{ client: string, edit?: number, total: number }} props
 */
function Changes({ client, edit, total }) {
  const load = (/** @type {number} */ from) => api.proposedChanges(client, edit, from);
  return html`<${ChangedNotes} load=${load} keys=${[client, edit]} total=${total} />`;
}

/**
 * The edits, each with a box. Ticking one ticks those that it needs, too; unticking one unticks those that need it.
 * @param {{ set: ChangeSet, blocked: Blocked, chosen: Set<number>, setChosen: (chosen: Set<number>) => void }} props
 */
function Choice({ set: { client, edits, total }, blocked, chosen, setChosen }) {
  const reasons = new Map(blocked.edits.map(({ edit, reason }) => [edit, reason]));
  const [shown, setShown] = useState(/** @type {number | null} */ (null));
  const toggle = (/** @type {number} */ edit) =>
    setChosen(chosen.has(edit) ? without(edits, chosen, edit) : withNeeded(edits, chosen, edit));
  return html`<ul class="proposed-edits">
      ${edits.map(
        ({ edit, title, notes, needs }) => html`<li key=${edit}>
          <label><input type="checkbox" checked=${chosen.has(edit)} onChange=${() => toggle(edit)} />
            <span>${title} <span class="quiet">no. ${edit}</span></span></label>
          ${needs.length > 0 && html`<span class="quiet">after ${titlesOf(edits, needs)}</span>`}
          ${reasons.has(edit) && html`<p class="notice warn"><${Sentence} text=${reasons.get(edit)} /></p>`}
          <button type="button" class="quiet" aria-expanded=${shown === edit}
            onClick=${() => setShown(shown === edit ? null : edit)}>${shown === edit ? 'Hide' : 'Show'}<span
              class="unseen"> ${title}</span></button>
          ${shown === edit && html`<${Changes} client=${client} edit=${edit} total=${notes.length} />`}
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
 * @param {{ edits: Edit[], blocked: Blocked }} props
 */
function InTheWay({ edits, blocked: { edits: blocked, unchecked } }) {
  const rest =
    unchecked > 0 &&
    html`<p class="quiet">${numberOf(unchecked, 'later edit')} ${unchecked === 1 ? 'is' : 'are'} not checked yet.</p>`;
  if (!blocked.length) return rest || null;
  return html`<div class="notice warn" role="note">
    <p>${numberOf(blocked.length, 'edit')} cannot be accepted as the notes are now:</p>
    <ul>${blocked.map(
      ({ edit, reason }) => html`<li key=${edit}>
        <strong>${titlesOf(edits, [edit])}</strong>: <${Sentence} text=${reason} /></li>`,
    )}</ul>
    ${rest}
  </div>`;
}

const titlesOf = (/** @type {Edit[]} */ edits, /** @type {number[]} */ numbers) =>
  numbers.map((number) => edits.find(({ edit }) => edit === number)?.title ?? `edit ${number}`).join(', ');

/** Return the numbers of chosen edits with one more, and with those that it needs. */
export function withNeeded(
  /** @type {Edit[]} */ edits,
  /** @type {Set<number>} */ chosen,
  /** @type {number} */ added,
) {
  const all = new Set([...chosen, added]);
  for (const { edit, needs } of edits.toReversed()) if (all.has(edit)) needs.forEach((one) => all.add(one));
  return all;
}

/** Return the numbers of these edits and of all that need one of them. */
export function withDependent(/** @type {Edit[]} */ edits, /** @type {Iterable<number>} */ numbers) {
  const all = new Set(numbers);
  for (const { edit, needs } of edits) if (needs.some((one) => all.has(one))) all.add(edit);
  return all;
}

/** Return the numbers of chosen edits without one, and without those that need it. */
export function without(/** @type {Edit[]} */ edits, /** @type {Set<number>} */ chosen, /** @type {number} */ removed) {
  const gone = withDependent(edits, [removed]);
  return new Set([...chosen].filter((edit) => !gone.has(edit)));
}

/**
 * The edits that could not be made, and why; `made` is the number of those that were.
 * @param {{ client: string, left: Left[], made: number, done: () => Promise<void> }} props
 */
function LeftOut({ client, left, made, done }) {
  const gone = left.filter((one) => one.gone).map(({ edit }) => edit);
  const keep = useAction(async () => {
    await api.accept({ client, edits: gone, as_new: true });
    await done();
  });
  return html`<div class="trouble" role="alert">
    ${made > 0 && html`<p>Accepted: ${numberOf(made, 'edit')}.</p>`}
    <p>${numberOf(left.length, 'edit')} could not be made, and still ${left.length === 1 ? 'waits' : 'wait'}:</p>
    <ul>${left.map(({ edit, reason }) => html`<li key=${edit}><${Sentence} text=${reason} /></li>`)}</ul>
    ${
      gone.length > 0 &&
      html`<button type="button" onClick=${keep.act} disabled=${keep.busy}>Keep as ${
        gone.length === 1 ? 'a new note' : 'new notes'
      }</button>`
    }
    <${ErrorMessage} error=${keep.error} />
  </div>`;
}

/** Fetch the list now. A caller whose own edits are proposed has none. */
async function fetchProposed() {
  if (!vault.peek()?.proposes) proposed.value = (await api.proposed()).change_sets;
}

/** Fetch the list at each new connection to the server, and whenever proposed edits or notes change. */
export function followProposed() {
  const fetch = throttled(() => fetchProposed().catch(() => {})); // other requests say what is wrong
  effect(() => {
    const { names } = changed.value;
    if (connection.value !== 'connecting' && proposals.value >= 0) fetch(names);
  });
}

/** Return how many edits wait. */
export const waitingCount = () => proposed.value.reduce((sum, { total }) => sum + total, 0);
