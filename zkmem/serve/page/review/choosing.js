// Which of a client's proposed edits are chosen, one by one or by groups: each together with those that it needs.

/**
 * @import * as Messages from '../messages.d.ts'
 * @typedef {Messages.ProposedEdit} Edit
 * @typedef {{ label: string, edits: number[] }} Group
 */

const MOST_GROUPS = 30;

/** Return the numbers of the chosen edits with another one, and with those that it needs. */
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

/** Return the numbers of the chosen edits without some, and without those that need these. */
export function without(
  /** @type {Edit[]} */ edits,
  /** @type {Set<number>} */ chosen,
  /** @type {Iterable<number>} */ removed,
) {
  const gone = withDependent(edits, removed);
  return new Set([...chosen].filter((edit) => !gone.has(edit)));
}

/** Return the numbers of the chosen edits with a group; if the whole group was chosen, without it. */
export function withToggled(
  /** @type {Edit[]} */ edits,
  /** @type {Set<number>} */ chosen,
  /** @type {number[]} */ group,
) {
  if (group.every((edit) => chosen.has(edit))) return without(edits, chosen, group);
  return group.reduce((all, edit) => withNeeded(edits, all, edit), chosen);
}

/**
 * Return the groups to choose by: all edits, those of each client, in each folder and of each kind. A division with
 * one group is left out.
 * @returns {Group[]}
 */
export function groupsOf(/** @type {Edit[]} */ edits) {
  const divisions = [
    divided(edits, ({ client }) => [client]),
    divided(edits, ({ notes }) => notes.map(({ name }) => name.slice(0, name.lastIndexOf('/') + 1) || 'no folder')),
    divided(edits, ({ notes }) => notes.map(({ outcome }) => outcome)),
  ];
  return [{ label: 'all', edits: edits.map(({ edit }) => edit) }, ...divisions.flat()];
}

function divided(/** @type {Edit[]} */ edits, /** @type {(edit: Edit) => string[]} */ labelsOf) {
  const groups = /** @type {Map<string, number[]>} */ (new Map());
  for (const edit of edits) {
    for (const label of new Set(labelsOf(edit).filter(Boolean))) {
      groups.set(label, [...(groups.get(label) ?? []), edit.edit]);
    }
  }
  if (groups.size < 2) return [];
  return [...groups].slice(0, MOST_GROUPS).map(([label, numbers]) => ({ label, edits: numbers }));
}
