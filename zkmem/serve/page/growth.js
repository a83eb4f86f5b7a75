// A small picture of what a sitting added: its notes in the middle, what links to them on the left, and what they link
// to on the right.
import { html } from './vendor/ui.js';
import { api } from './api.js';
import { brief, shortName } from './graph/model.js';
import { numberOf, useLoad } from './load.js';
import { noteHash } from './navigation.js';

/**
 * @import * as Messages from './messages.d.ts'
 * @typedef {Messages.Growth['notes'][number]} Note
 * @typedef {{ note: Note, at: number, x: number, y: number }} Place
 */

const ROW = 24;
const LEFT = 190;
const MIDDLE = 250;
const RIGHT = 510;
const WIDTH = 700;
const RADIUS = 6;
const MOST_LETTERS = 28;

/** @param {{ edit: number }} props */
export function Growth({ edit }) {
  const { data } = useLoad(() => api.growth(edit), [edit]); // an error is not shown: the card is as useful without it
  if (!data?.links.length) return null;
  const { places, height } = arranged(data);
  const added = places.filter(({ note }) => note.outcome === 'created').length;
  const links = data.links.filter((link) => link.new).length;
  const label = `What grew: ${numberOf(added, 'new note')}, ${numberOf(links, 'new link')}`;
  const placeOf = new Map(places.map((place) => [place.at, place]));
  return html`<div class="growth">
    <svg role="group" aria-label=${label} width=${WIDTH} height=${height} viewBox=${`0 0 ${WIDTH} ${height}`}>
      ${data.links.map(({ source, target, new: isNew }) => {
        const [from, to] = [placeOf.get(source), placeOf.get(target)];
        return from && to && html`<path class=${isNew ? 'new' : ''} d=${curve(from, to)} />`;
      })}
      ${places.map((place) => html`<${Dot} key=${place.at} ...${place} />`)}
    </svg>
  </div>`;
}

/** @param {Place} props */
function Dot({ note: { name, outcome }, x, y }) {
  const isLeft = x === LEFT;
  const about = outcome ? `${name} (${outcome})` : name;
  return html`<a href=${noteHash(name)} class=${outcome === 'created' ? 'new' : outcome && 'own'}>
    <title>${about}</title>
    <circle cx=${x} cy=${y} r=${RADIUS} />
    <text x=${x + (isLeft ? -RADIUS - 4 : RADIUS + 4)} y=${y + 4}
      text-anchor=${isLeft ? 'end' : 'start'}>${brief(shortName(name), MOST_LETTERS)}</text>
  </a>`;
}

/**
 * Return the places of the notes that have links, in three columns, and the height of the picture.
 * @param {Messages.Growth} growth
 */
function arranged({ notes, links }) {
  const linked = new Set(links.flatMap(({ source, target }) => [source, target]));
  const isOwn = (/** @type {number} */ at) => notes[at].outcome !== '';
  const leading = new Set(links.filter(({ target }) => isOwn(target)).map(({ source }) => source));
  const all = notes.map((note, at) => ({ note, at })).filter(({ at }) => linked.has(at));
  const columns = [
    { x: LEFT, members: all.filter(({ at }) => !isOwn(at) && leading.has(at)) },
    { x: MIDDLE, members: all.filter(({ at }) => isOwn(at)) },
    { x: RIGHT, members: all.filter(({ at }) => !isOwn(at) && !leading.has(at)) },
  ];
  const height = ROW * Math.max(...columns.map(({ members }) => members.length));
  const places = columns.flatMap(({ x, members }) =>
    members.map((member, row) => ({ ...member, x, y: height / 2 + ROW * (row - (members.length - 1) / 2) })),
  );
  return { places, height };
}

/**
 * Return the line of a link; between two notes of one column it is an arc at their left.
 * @param {Place} from
 * @param {Place} to
 */
function curve(from, to) {
  if (from.x !== to.x) {
    const middle = (from.x + to.x) / 2;
    return `M${from.x} ${from.y}C${middle} ${from.y} ${middle} ${to.y} ${to.x} ${to.y}`;
  }
  const away = from.x - 12 - Math.min(40, Math.abs(to.y - from.y) / 4);
  return `M${from.x} ${from.y}C${away} ${from.y} ${away} ${to.y} ${to.x} ${to.y}`;
}
