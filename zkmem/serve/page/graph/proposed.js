// The notes that clients propose, for the map: it shows them pale, until they are accepted or dropped.
import { api } from '../server/api.js';
import { folded, leadsTo, targetsIn } from '../review/groups.js';

/**
 * @import * as Messages from '../messages.d.ts'
 * @typedef {Messages.ChangeSets['change_sets']} ChangeSets
 * @typedef {{ name: string, targets: string[] }} ProposedNote a new note, and the targets of its links
 */

const PART = 100; // notes of one answer

/** The targets of the links of new notes, by client and name. */
const fetched = /** @type {Map<string, string[]>} */ (new Map());

/**
 * Return the new notes among those that an answer of GET /proposed lists. Only what was never fetched is asked for, and
 * nothing more as soon as `isCurrent` says no.
 * @param {ChangeSets} sets
 * @param {() => boolean} isCurrent
 */
export async function proposedNotes(sets, isCurrent) {
  const notes = /** @type {ProposedNote[]} */ ([]);
  for (const { client, notes: all } of sets) {
    const keyOf = (/** @type {{ name: string }} */ { name }) => `${client}\n${name}`;
    for (const one of all.filter(({ outcome }) => outcome === 'created')) {
      if (isCurrent() && !fetched.has(keyOf(one))) {
        fetched.set(keyOf(one), []); // if it is not proposed any more
        const part = await api.proposedChanges(client, undefined, one.first, PART);
        for (const note of part.notes)
          fetched.set(
            keyOf(note),
            targetsIn([note]).map(({ target }) => target),
          );
      }
      notes.push({ name: one.name, targets: fetched.get(keyOf(one)) ?? [] });
    }
  }
  return notes;
}

/**
 * Return an answer of GET /graph with new notes, which come after its notes, and with their links. A link leads to the
 * note of that name, else to a missing one.
 * @param {Messages.Graph} answer
 * @param {ProposedNote[]} proposed
 * @returns {Messages.Graph}
 */
export function withProposed(answer, proposed) {
  const there = new Set(answer.names);
  const added = proposed.filter(({ name }) => !there.has(name));
  if (!added.length) return answer;
  const before = answer.names.length;
  const names = [...answer.names, ...added.map(({ name }) => name)];
  const missing = [...answer.missing];
  const links = answer.links.map((at) => (at < before ? at : at + added.length));
  const [noteAt, missingAt] = [finder(names), finder(missing)];
  const placeOf = (/** @type {string} */ target) =>
    noteAt.get(target) ?? names.length + (missingAt.get(target) ?? missingAt.add(target, missing.push(target) - 1));
  added.forEach(({ targets }, at) => {
    for (const target of targets) links.push(before + at, placeOf(target));
  });
  const weights = [...answer.weights, ...added.map(() => 1)];
  return { ...answer, names, weights, missing, links, shared: before ? answer.shared : topOf(names) };
}

/** Return the folder that all notes are below; '' if there is none. */
function topOf(/** @type {string[]} */ names) {
  const [top] = names[0].split('/');
  return names.every((name) => name.startsWith(`${top}/`)) ? top : '';
}

/** Return what finds the place of the name to which a target leads. */
function finder(/** @type {string[]} */ names) {
  const byLast = /** @type {Map<string, [string, number][]>} */ (new Map());
  const lastOf = (/** @type {string} */ name) => folded(name).slice(folded(name).lastIndexOf('/') + 1);
  const add = (/** @type {string} */ name, /** @type {number} */ at) => {
    byLast.set(lastOf(name), [...(byLast.get(lastOf(name)) ?? []), [name, at]]);
    return at;
  };
  names.forEach(add);
  return {
    add,
    get: (/** @type {string} */ target) => byLast.get(lastOf(target))?.find(([name]) => leadsTo(target, name))?.[1],
  };
}
