// The lines of the review in a chat, as plain values.

import { isDestroying } from '../review/brief.js';

/**
 * @import { Line } from '../review/brief.js'
 * @typedef {{ client: string, name: string, total: number, ended: number,
 *   edits: { edit: number, title: string }[] }} ProposedSet
 * @typedef {{ sentence: string, total: number, shown: number, last: number, lines: Line[], proposed: ProposedSet[],
 *   can_edit: boolean, remark: string,
 *   ticket: string }} Review
 */

/** Return the size of a change: `+12 −3 words · `; empty if it is not known, or if the words of the line say it. */
export function sizeOf(/** @type {Line} */ { kind, added, removed }) {
  if (isDestroying(kind)) return '';
  const sides = [added && `+${added}`, removed && `−${removed}`].filter(Boolean);
  return sides.length ? `${sides.join(' ')} words · ` : '';
}

/**
 * Return proposed edits with texts that tell them apart.
 * @param {ProposedSet['edits']} edits
 */
export function withLabels(edits) {
  const times = new Map();
  for (const { title } of edits) times.set(title, (times.get(title) ?? 0) + 1);
  return edits.map((one) => ({
    ...one,
    label: times.get(one.title) > 1 ? `${one.title} (edit ${one.edit})` : one.title,
  }));
}
