// The notes that an import proposes: by project and month, and what they would link to.
import { numberOf } from '../common/numbers.js';

/**
 * @import * as Messages from '../messages.d.ts'
 * @typedef {Messages.ProposedGroup} Group
 * @typedef {Messages.ChangeSet} ChangeSet
 * @typedef {{ target: string, isMissing: boolean | null }} Target a link, and whether there is no note of this name;
 *   null if the server must be asked
 */

const month = new Intl.DateTimeFormat('en', { month: 'long', year: 'numeric', timeZone: 'UTC' });

/** Return whether all edits that a client proposes are in groups, as the notes of an import are. */
export const isImport = (/** @type {ChangeSet} */ { groups, total }) =>
  groups.length > 0 && groups.reduce((sum, one) => sum + one.total, 0) === total;

/** Return a heading that says how many notes an import proposes, and from how many months and projects. */
export function summaryOf(/** @type {ChangeSet} */ { groups, total }) {
  const count = (/** @type {'month' | 'project'} */ part) => new Set(groups.map((one) => one[part])).size;
  const from = `from ${numberOf(count('month'), 'month')}, ${numberOf(count('project'), 'project')}`;
  return `${numberOf(total, 'note')} proposed, ${from}`;
}

/** Return the projects in the order of the groups, each with its groups, the latest month first. */
export function projectsOf(/** @type {Group[]} */ groups) {
  const projects = /** @type {Map<string, { project: string, total: number, groups: Group[] }>} */ (new Map());
  for (const group of groups) {
    const { total = 0, groups: others = [] } = projects.get(group.project) ?? {};
    projects.set(group.project, {
      project: group.project,
      total: total + group.total,
      groups: [group, ...others],
    });
  }
  return [...projects.values()];
}

export const groupKey = (/** @type {{ project: string, month: string }} */ group) => `${group.month}\n${group.project}`;

/** Return edits by their groups. */
export function byGroup(/** @type {Messages.ProposedEdit[]} */ edits) {
  const groups = /** @type {Map<string, Messages.ProposedEdit[]>} */ (new Map());
  for (const edit of edits) {
    if (edit.project === null || edit.month === null) continue;
    const key = groupKey({ project: edit.project, month: edit.month });
    groups.set(key, [...(groups.get(key) ?? []), edit]);
  }
  return groups;
}

/** Return a month such as 2026-11 in words. */
export const monthText = (/** @type {string} */ text) => (text ? month.format(new Date(`${text}-01`)) : 'No date');

/**
 * Return the links of proposed notes: those in the text, as the server has resolved them, and that of the property
 * `project`, to which an import gives one link or none.
 * @param {Messages.ChangedNote[]} notes
 */
export function targetsIn(notes) {
  const links = /** @type {Map<string, Target>} */ (new Map());
  const source = notes.map(({ html }) => html).join('');
  const { body } = new DOMParser().parseFromString(source, 'text/html'); // it runs and loads nothing
  for (const link of body.querySelectorAll('a[data-note]')) {
    const target = link.getAttribute('data-note') ?? '';
    links.set(target, { target, isMissing: link.matches('.missing') });
  }
  for (const property of body.querySelectorAll('.property')) {
    const [name, value] = [...property.children].map(({ textContent }) => textContent ?? '');
    if (name !== 'project' || !value?.startsWith('[[') || !value.endsWith(']]')) continue;
    const target = value.slice(2, -2);
    if (!links.has(target)) links.set(target, { target, isMissing: null });
  }
  return [...links.values()];
}

/** Return whether a link to a target leads to a note of this name: the whole name, or its last part. */
export function leadsTo(/** @type {string} */ target, /** @type {string} */ name) {
  const [wanted, whole] = [folded(target), folded(name)];
  return whole === wanted || whole.endsWith(`/${wanted}`);
}

export const folded = (/** @type {string} */ name) => name.normalize('NFC').toLowerCase();
