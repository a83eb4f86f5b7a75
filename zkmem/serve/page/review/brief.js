// What happened since the person last looked, in words: the sentence of a brief, its filters and its lines.
import { formatNumber, numberOf } from '../common/numbers.js';
import { sinceText } from '../common/when.js';
import { byOthers } from '../common/who.js';
import { vault } from '../state.js';

/**
 * @import * as Messages from '../messages.d.ts'
 * @typedef {Messages.Brief} Brief
 * @typedef {Brief['lines'][number]} Line
 * @typedef {Brief['counts'][number]} Count
 */

/**
 * Which lines are shown: those with all of these values.
 * @typedef {{ kind?: string, client?: string, folder?: string, sitting?: string }} Filter
 */

const KEYS = /** @type {const} */ (['kind', 'client', 'folder', 'sitting']);

/** Return the filter that the end of an address names: `kind=deleted&client=claude`. */
export function filterOf(/** @type {string | null} */ query) {
  const given = new URLSearchParams(query ?? '');
  /** @type {Filter} */
  const filter = {};
  for (const key of KEYS) if (given.get(key)) filter[key] = given.get(key) ?? '';
  return filter;
}

/** @type {Record<string, string>} */
const IN_A_SENTENCE = { hand: 'changes by hand', away: 'changes while zkmem was not running' };

/** Return who edited, how often and since when: "2 clients and changes by hand, 46 edits since yesterday 18:10". */
export function leadOf(/** @type {Brief} */ { clients, edits, since }, /** @type {number} */ now) {
  const tools = clients.filter(({ outside }) => !outside);
  const who = [
    tools.length === 1 ? tools[0].client || 'Somebody' : tools.length > 1 && numberOf(tools.length, 'client'),
    ...clients.map(({ outside }) => outside && (IN_A_SENTENCE[outside] ?? byOthers(outside))),
  ].filter(Boolean);
  const all = who.length > 1 ? `${who.slice(0, -1).join(', ')} and ${who.at(-1)}` : String(who[0] ?? 'Somebody');
  const subject = tools.length ? all : all[0].toUpperCase() + all.slice(1); // the name of a client keeps its letters
  return `${subject}, ${numberOf(edits, 'edit')}${since === null ? '' : ` since ${sinceText(since, now)}`}`;
}

/** Return a count in words. The first one of a sentence says what is counted: "1 note deleted", "2 overwritten". */
export function countText(/** @type {Count} */ { kind, notes }, isFirst = false) {
  return `${isFirst ? numberOf(notes, 'note') : formatNumber(notes)} ${kind}`;
}

/** Return the clients to choose from, each with the value of the filter; a client without a name is left out. */
export const clientsToChoose = (/** @type {Brief['clients']} */ clients) =>
  clients.map((one) => ({ ...one, value: one.client || one.outside })).filter(({ value }) => value);

/** Return the label of the button that marks lines as seen: those shown and those that follow. */
export const seenText = (/** @type {number} */ total, /** @type {boolean} */ isSome) =>
  `Mark ${isSome ? 'these' : 'all'} ${formatNumber(total)} as seen`;

/** Return whether a change of this kind destroys text. */
export const isDestroying = (/** @type {string} */ kind) => kind === 'deleted' || kind === 'overwritten';

/** Return the key of a line. It stays the same when edits are added to the line. */
export const keyOf = (/** @type {Line} */ { note, client, outside, first }) => `${first} ${outside}/${client}/${note}`;

/**
 * Return the lines that the server lists, with what the person has just done to them. A line with which the person has
 * dealt stays where it was, also if the server lists it no more, so that nothing moves under the person's hands.
 * @param {Line[]} lines
 * @param {Line[]} shown before
 * @param {Map<string, Line>} done the lines that the person has dealt with, by their keys
 */
export function withDone(lines, shown, done) {
  const all = lines.map((line) => {
    const mine = done.get(keyOf(line));
    return mine?.edit === line.edit ? mine : line; // it may have changed again
  });
  let place = 0; // behind the last line of those shown that is still there
  for (const key of shown.map(keyOf)) {
    const at = all.findIndex((one) => keyOf(one) === key);
    const gone = done.get(key);
    if (at >= 0) place = at + 1;
    else if (gone) all.splice(place++, 0, gone);
  }
  return all;
}

/** Return why the changes of another program cannot be undone here; empty if they can. */
export const whyNoUndo = (/** @type {string} */ outside) =>
  outside.startsWith('git ') ? 'git made these changes; undo them with git.' : '';

/** Return the values by which the server finds a line. */
export const addressOf = (/** @type {Line} */ { note, edit, first }) => ({ note, edit, first });

/** Return whether the person can undo the edits of a line. */
export const mayUndo = (/** @type {Line} */ { undone, outside }) =>
  vault.value?.can_write && !undone && !whyNoUndo(outside);
