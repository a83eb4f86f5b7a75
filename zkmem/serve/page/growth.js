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
 * @typedef {object} Place
 * @property {Note} note
 * @property {number} at its place in the answer
 * @property {string} text the name that is written
 * @property {number} wide the width of the name
 * @property {number} x
 * @property {number} y
 * @property {number} side of the dot on which the name is: -1 for the left
 */

const ROW = 24;
const SPAN = 60; // of the lines between two columns
const RADIUS = 6;
const GAP = 4; // between a dot and its name, and between a name and a line
const MOST_LETTERS = 28;
const SIZE = 0.8125; // of the letters, against those of the page; as in the style sheet

/** @param {{ edit: number }} props */
export function Growth({ edit }) {
  const { data } = useLoad(() => api.growth(edit), [edit]); // an error is not shown: the card is as useful without it
  if (!data?.links.length) return null;
  const { places, width, height, bend } = arranged(data);
  const added = places.filter(({ note }) => note.outcome === 'created').length;
  const links = data.links.filter((link) => link.new).length;
  const label = `What grew: ${numberOf(added, 'new note')}, ${numberOf(links, 'new link')}`;
  const placeOf = new Map(places.map((place) => [place.at, place]));
  return html`<div class="growth">
    <svg role="group" aria-label=${label} width=${width} height=${height} viewBox=${`0 0 ${width} ${height}`}>
      ${data.links.map(({ source, target, new: isNew }) => {
        const [from, to] = [placeOf.get(source), placeOf.get(target)];
        return from && to && html`<path class=${isNew ? 'new' : ''} d=${curve(from, to, bend)} />`;
      })}
      ${places.map((place) => html`<${Dot} key=${place.at} ...${place} />`)}
    </svg>
  </div>`;
}

/** @param {Place} props */
function Dot({ note: { name, outcome }, text, x, y, side }) {
  const about = outcome ? `${name} (${outcome})` : name;
  return html`<a href=${noteHash(name)} class=${outcome === 'created' ? 'new' : outcome && 'own'}>
    <title>${about}</title>
    <circle cx=${x} cy=${y} r=${RADIUS} />
    <text x=${x + side * (RADIUS + GAP)} y=${y + 4} text-anchor=${side < 0 ? 'end' : 'start'}>${text}</text>
  </a>`;
}

/**
 * Return the places of the notes that have links, in three columns, the size of the picture, and where the lines to the
 * right column begin to bend: after the names in the middle, so that none runs through one.
 * @param {Messages.Growth} growth
 */
function arranged({ notes, links }) {
  const linked = new Set(links.flatMap(({ source, target }) => [source, target]));
  const isOwn = (/** @type {number} */ at) => notes[at].outcome !== '';
  const leading = new Set(links.filter(({ target }) => isOwn(target)).map(({ source }) => source));
  const all = notes.map(measured).filter(({ at }) => linked.has(at));
  const [left, middle, right] = [
    all.filter(({ at }) => !isOwn(at) && leading.has(at)),
    all.filter(({ at }) => isOwn(at)),
    all.filter(({ at }) => !isOwn(at) && !leading.has(at)),
  ];
  const firstX = left.length ? widest(left) + GAP + 2 * RADIUS : 0;
  const middleX = firstX + SPAN;
  const bend = middleX + RADIUS + widest(middle) + 2 * GAP;
  const lastX = bend + SPAN;
  const width = right.length ? lastX + RADIUS + GAP + widest(right) : bend;
  const columns = [
    { x: firstX, side: -1, members: left },
    { x: middleX, side: 1, members: middle },
    { x: lastX, side: 1, members: right },
  ];
  const height = ROW * Math.max(...columns.map(({ members }) => members.length));
  const places = columns.flatMap(({ x, side, members }) =>
    members.map((member, row) => ({ ...member, x, side, y: height / 2 + ROW * (row - (members.length - 1) / 2) })),
  );
  return { places, width, height, bend };
}

const pen = /** @type {CanvasRenderingContext2D} */ (document.createElement('canvas').getContext('2d'));

/** Return a note with the name that is written, and its width in pixels. */
function measured(/** @type {Note} */ note, /** @type {number} */ at) {
  const text = brief(shortName(note.name), MOST_LETTERS);
  const { fontFamily, fontSize } = getComputedStyle(document.documentElement);
  pen.font = `600 ${SIZE * parseFloat(fontSize)}px ${fontFamily}`;
  return { note, at, text, wide: Math.ceil(pen.measureText(text).width) };
}

const widest = (/** @type {{ wide: number }[]} */ names) => Math.max(0, ...names.map(({ wide }) => wide));

/**
 * Return the line of a link. One to the right begins after the note's name; one between two notes of a column is an arc
 * at their left.
 * @param {Place} from
 * @param {Place} to
 * @param {number} bend
 */
function curve(from, to, bend) {
  if (from.x === to.x) {
    const away = from.x - 12 - Math.min(40, Math.abs(to.y - from.y) / 4);
    return `M${from.x} ${from.y}C${away} ${from.y} ${away} ${to.y} ${to.x} ${to.y}`;
  }
  const [first, last] = from.x < to.x ? [from, to] : [to, from];
  const named = first.side > 0;
  const start = named ? first.x + RADIUS + 2 * GAP + first.wide : first.x;
  const turn = named ? bend : first.x;
  const middle = (turn + last.x) / 2;
  return `M${start} ${first.y}H${turn}C${middle} ${first.y} ${middle} ${last.y} ${last.x} ${last.y}`;
}
