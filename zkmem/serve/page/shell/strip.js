// The strip below the bar: what a client is doing in the vault right now.
import { html, useEffect, useState } from '../vendor/ui.js';
import { api } from '../server/api.js';
import { hueOf } from '../common/hue.js';
import { useChanges } from '../common/load.js';
import { noteHash } from '../navigation.js';
import { isOwn } from '../history/past.js';
import { changed, route, unseen } from '../state.js';

/**
 * @import * as Messages from '../messages.d.ts'
 * @typedef {Messages.Review['sittings'][number]} Sitting
 * @typedef {{ client: string, name: string, outcome: string, from: string | null, more: number }} Deed
 */

const SHOWN = 30_000; // milliseconds
/** @type {Record<string, string>} */
const VERBS = {
  merged: 'merged another note into',
  extracted: 'took a passage out of',
  created: 'created',
  changed: 'changed',
  renamed: 'renamed',
  deleted: 'deleted',
  restored: 'restored',
};

/** What the last client did that is not the person; for half a minute. */
export function Strip() {
  const [deed, setDeed] = useState(/** @type {Deed | null} */ (null));
  const look = async () => {
    const review = await api.review(null, 1).catch(() => null); // what happened is worth no error here
    if (review) unseen.value = review.unseen;
    return review;
  };
  useEffect(() => {
    if (route.peek().view) look(); // the number beside Review is right whatever is opened first; Home asks by itself
  }, []);
  useChanges(async (names) => {
    const review = await look();
    const next = review?.sittings[0] && !isOwn(changed.peek().by ?? '') && (await deedOf(review.sittings[0], names));
    if (next) setDeed(next);
  });
  useEffect(() => {
    if (!deed) return undefined;
    const timer = setTimeout(() => setDeed(null), SHOWN);
    return () => clearTimeout(timer);
  }, [deed]);
  return html`<div class="strip" role="status" hidden=${!deed}>${deed && html`<${Shown} ...${deed} />`}</div>`;
}

/** @param {Deed} props */
function Shown({ client, name, outcome, from, more }) {
  return html`<p style=${{ '--hue': hueOf(client) }}>
    <i class="dot" aria-hidden="true"></i><strong>${client}</strong> ${VERBS[outcome]}${' '}
    ${outcome === 'deleted' ? html`<em>${name}</em>` : html`<a href=${noteHash(name)}>${name}</a>`}
    ${from && html`, linked from <a href=${noteHash(from)}>${from}</a>`}
    ${more > 0 && html` and <a href="#/review">${more} more</a>`}
  </p>`;
}

/**
 * Return what a sitting did to these notes, or null if it is not about them.
 * @returns {Promise<Deed | null>}
 */
async function deedOf(/** @type {Sitting} */ { client, own, undone, notes }, /** @type {string[] | null} */ names) {
  const now = notes.filter((note) => note.outcome in VERBS && (!names || names.includes(note.name)));
  if (own || undone || !client || !now.length) return null;
  const [{ name, outcome }] = now.slice(-1);
  const note = outcome === 'created' ? await api.note(name).catch(() => null) : null;
  const from = note?.backlinks.find((other) => other !== name) ?? null;
  return { client, name, outcome, from, more: now.length - 1 };
}
