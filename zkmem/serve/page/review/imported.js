// The notes that an import proposes: by project and month, folded, with a box for each group and each note.
import { html, useState } from '../vendor/ui.js';
import { api } from '../server/api.js';
import { parted } from '../common/names.js';
import { ErrorMessage, Waiting, formatNumber, numberOf, useLoad } from '../common/load.js';
import { useAction } from '../common/preview.js';
import { linkHash } from '../navigation.js';
import { vault } from '../state.js';
import { ChangedNotes } from './changed.js';
import { withToggled } from './choosing.js';
import { byGroup, groupKey, leadsTo, monthText, projectsOf, targetsIn } from './groups.js';

/**
 * @import * as Messages from '../messages.d.ts'
 * @import { Group, Target } from './groups.js'
 * @typedef {Messages.ChangeSet} ChangeSet
 * @typedef {Messages.ProposedEdit} Edit
 * @typedef {ReturnType<typeof useGroups>} Groups
 * @typedef {{ target: string, state: 'there' | 'proposed' | 'missing' }} WouldLink
 * @typedef {{ set: ChangeSet, groups: Groups, chosen: Set<number>, setChosen: (chosen: Set<number>) => void }} Props
 */

const LINES = 100; // of a group, which are shown at once
const NAMES = 50; // similar names of notes, among which one is looked for
const NOTES = 100; // of one edit

/** Keep the edits of the groups that the person has opened or chosen, as long as none is missing. */
export function useGroups(/** @type {ChangeSet} */ { client, groups, edits }) {
  const [fetched, setFetched] = useState(/** @type {Map<string, Edit[]>} */ (new Map()));
  const candidates = [...fetched, ...byGroup(edits)];
  const totals = new Map(groups.map((group) => [groupKey(group), group.total]));
  const loaded = new Map(candidates.filter(([key, list]) => list.length === totals.get(key)));
  /** Load the edits of groups of one project that are not loaded yet; return all that are loaded. */
  const load = async (/** @type {Group[]} */ wanted) => {
    const missing = wanted.filter((group) => !loaded.has(groupKey(group)));
    if (!missing.length) return loaded;
    const [{ project, month }] = missing;
    const more = byGroup(await editsOf({ client, project, ...(missing.length === 1 ? { month } : {}) }));
    setFetched((before) => new Map([...before, ...more]));
    return new Map([...loaded, ...more]);
  };
  return { loaded, load, edits: inOrder(loaded) };
}

/** Return the edits of groups, the oldest first. */
const inOrder = (/** @type {Map<string, Edit[]>} */ loaded) =>
  [...loaded.values()].flat().sort((one, other) => one.edit - other.edit);

/** Return the numbers of the edits of groups. */
const numbersOf = (/** @type {Map<string, Edit[]>} */ loaded, /** @type {Group[]} */ groups) =>
  groups.flatMap((group) => loaded.get(groupKey(group)) ?? []).map(({ edit }) => edit);

/** Load all edits of a project, or of one month of it, in parts. */
async function editsOf(/** @type {{ client: string, project: string, month?: string }} */ group) {
  const edits = /** @type {Edit[]} */ ([]);
  for (;;) {
    const [part] = (await api.proposedGroup({ ...group, from: String(edits.length) })).change_sets;
    edits.push(...(part?.edits ?? []));
    if (!part?.edits.length || edits.length >= part.total) return edits;
  }
}

/** @param {Props} props */
export function Imported(props) {
  return html`<ul
    class="import"
    aria-label="Proposed notes by project and month"
  >
    ${projectsOf(props.set.groups).map(
      ({ project, total, groups }) =>
        html`<li key=${project}>
          <${GroupBox}
            ...${props}
            label=${`All of ${project}`}
            wanted=${groups}
            total=${total}
          />
          <details>
            <summary>
              <strong>${project}</strong>
              ${' '}<span class="quiet">${numberOf(total, 'note')}</span>
            </summary>
            <ul>
              ${groups.map((group) => html`<${Month} key=${group.month} ...${props} group=${group} />`)}
            </ul>
          </details>
        </li>`,
    )}
  </ul>`;
}

/** @param {Props & { group: Group }} props */
function Month({ group, ...props }) {
  const [isOpen, setOpen] = useState(false);
  const onToggle = (/** @type {Event & { currentTarget: HTMLDetailsElement }} */ { currentTarget }) =>
    setOpen(currentTarget.open);
  const label = `${group.project}, ${monthText(group.month)}`;
  return html`<li>
    <${GroupBox}
      ...${props}
      label=${label}
      wanted=${[group]}
      total=${group.total}
    />
    <details onToggle=${onToggle}>
      <summary>
        ${monthText(group.month)}
        ${' '}<span class="quiet">${numberOf(group.total, 'note')}</span>
      </summary>
      ${isOpen && html`<${Lines} ...${props} group=${group} />`}
    </details>
  </li>`;
}

/**
 * A box that chooses all notes of some groups.
 * @param {Props & { label: string, wanted: Group[], total: number }} props
 */
function GroupBox({ groups, chosen, setChosen, label, wanted, total }) {
  const count = numbersOf(groups.loaded, wanted).filter((edit) => chosen.has(edit)).length;
  const toggle = useAction(async () => {
    const loaded = await groups.load(wanted);
    setChosen(withToggled(inOrder(loaded), chosen, numbersOf(loaded, wanted)));
  });
  return html`<${Box}
      label=${label}
      isChecked=${count === total}
      isSome=${count > 0 && count < total}
      isBusy=${toggle.busy}
      onChange=${toggle.act}
    /><${ErrorMessage} error=${toggle.error} />`;
}

/**
 * A box that chooses; an empty place for a person who may not decide.
 * @param {{ label: string, isChecked: boolean, isSome?: boolean, isBusy?: boolean, onChange: () => void }} props
 */
const Box = ({ label, isChecked, isSome = false, isBusy = false, onChange }) =>
  vault.value?.can_write
    ? html`<input
        type="checkbox"
        aria-label=${label}
        checked=${isChecked}
        indeterminate=${isSome}
        disabled=${isBusy}
        onChange=${onChange}
      />`
    : html`<span></span>`;

/**
 * The notes of a group, in parts.
 * @param {Props & { group: Group }} props
 */
function Lines({ set, groups, chosen, setChosen, group }) {
  const [count, setCount] = useState(LINES);
  const { error, again } = useLoad(() => groups.load([group]), [groupKey(group), group.total]);
  const edits = groups.loaded.get(groupKey(group));
  if (!edits) return error ? html`<${ErrorMessage} error=${error} again=${again} />` : html`<${Waiting} />`;
  const toggle = (/** @type {number} */ edit) => setChosen(withToggled(groups.edits, chosen, [edit]));
  return html`<ul>
      ${edits.slice(0, count).map(
        (edit) =>
          html`<${Line}
              key=${edit.edit}
              set=${set}
              edit=${edit}
              isChosen=${chosen.has(edit.edit)}
              toggle=${toggle}
            />`,
      )}
    </ul>
    ${
      edits.length > count &&
      html`<button type="button" onClick=${() => setCount(count + LINES)}>
        Show ${formatNumber(Math.min(LINES, edits.length - count))} more
      </button>`
    }`;
}

/** @param {{ set: ChangeSet, edit: Edit, isChosen: boolean, toggle: (edit: number) => void }} props */
function Line({ set, edit: { edit, notes, title }, isChosen, toggle }) {
  const [isOpen, setOpen] = useState(false);
  const name = notes.length === 1 ? parted(notes[0].name).last : title;
  return html`<li>
    <${Box}
      label=${name}
      isChecked=${isChosen}
      onChange=${() => toggle(edit)}
    />
    <div>
      <button
        type="button"
        class="plain"
        aria-expanded=${isOpen}
        onClick=${() => setOpen(!isOpen)}
      >
        ${name}
      </button>
      ${notes[0]?.outcome !== 'created' && html` <span class="tag">${notes[0]?.outcome}</span>`}
      ${isOpen && html`<${ProposedNote} set=${set} edit=${edit} />`}
    </div>
  </li>`;
}

/**
 * A proposed note, and where it would link.
 * @param {{ set: ChangeSet, edit: number }} props
 */
function ProposedNote({ set, edit }) {
  const [links, setLinks] = useState(/** @type {WouldLink[]} */ ([]));
  const load = async () => {
    const answer = await api.proposedChanges(set.client, edit, 0, NOTES);
    setLinks(await Promise.all(targetsIn(answer.notes).map((one) => stateOf(one, set))));
    return answer;
  };
  return html`<${ChangedNotes} load=${load} keys=${[set.client, edit]} isBare />
    ${
      links.length > 0 &&
      html`<p class="would-link">
        Would link
        to:${links.map(
          ({ target, state }) =>
            html` <span key=${target}
              >${
                state === 'there'
                  ? html`<a href=${linkHash(target)}>${target}</a>`
                  : html`${target} <span class="tag">${state}</span>`
              }</span
            >`,
        )}
      </p>`
    }`;
}

/**
 * Return whether a target is a note, is proposed, or is missing.
 * @param {Target} link
 * @param {ChangeSet} set
 * @returns {Promise<WouldLink>}
 */
async function stateOf({ target, isMissing }, { notes }) {
  if (isMissing === false) return { target, state: 'there' };
  if (notes.some(({ name }) => leadsTo(target, name))) return { target, state: 'proposed' };
  if (isMissing) return { target, state: 'missing' };
  const { names } = await api.names(target, NAMES, new AbortController().signal);
  return {
    target,
    state: names.some((name) => leadsTo(target, name)) ? 'there' : 'missing',
  };
}
