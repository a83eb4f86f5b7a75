// Where the notes of the map in a chat are: on the two halves of an ellipse around the note in the middle.

/**
 * @typedef {{ name: string, weight: number, missing: boolean, to: boolean, from: boolean }} Neighbour `to`, `from`: the
 *   ends of the links between it and the note in the middle
 * @typedef {{ name: string, notes: Neighbour[], links: [number, number][], more: number }} Near `links`: places in the
 *   list of all notes, which begins with the one in the middle
 */

const STEP = 26; // between two notes, one above the other
const EDGE = 34; // above the first one and below the last one
const LEAST = 180;
const LETTER = 6.6; // the width of a letter

/**
 * Return where all is. Notes that only link to the one in the middle are on the left.
 * @param {Near} near
 * @param {number} width
 */
export function placed(near, width) {
  const isLeft = near.notes.map(({ to }) => !to);
  const most = Math.max(isLeft.filter(Boolean).length, isLeft.filter((one) => !one).length);
  const height = Math.max(LEAST, 2 * EDGE + STEP * (most - 1));
  const side = isLeft.every(Boolean) ? 0.75 : isLeft.some(Boolean) ? 0.5 : 0.25; // room for the names
  const centre = { x: width * side, y: height / 2 };
  const wide = Math.min(width * 0.2, 150);
  const heaviest = Math.max(1, ...near.notes.map(({ weight }) => weight));
  const counts = { left: 0, right: 0 };
  const places = near.notes.map(({ weight }, at) => {
    const half = isLeft[at] ? 'left' : 'right';
    const many = isLeft.filter((one) => one === isLeft[at]).length;
    const y = centre.y + STEP * (counts[half]++ - (many - 1) / 2);
    const bend = wide * (0.55 + 0.45 * Math.sqrt(1 - ((y - centre.y) / (height / 2)) ** 2));
    const x = centre.x + (isLeft[at] ? -bend : bend);
    const radius = 4 + 4 * Math.sqrt(weight / heaviest);
    return { x, y, radius, isLeft: isLeft[at], room: (isLeft[at] ? x : width - x) - 14 };
  });
  const all = [centre, ...places];
  const curves = near.links.map(([from, to]) => {
    const isNear = from !== 0 && to !== 0;
    const [a, b] = [all[from], all[to]];
    const middle = isNear
      ? { x: (a.x + b.x + centre.x) / 3, y: (a.y + b.y + centre.y) / 3 }
      : { x: (a.x + b.x) / 2, y: b.y };
    return { path: `M${a.x} ${a.y}Q${middle.x} ${middle.y} ${b.x} ${b.y}`, isNear };
  });
  return { height, centre, places, curves };
}

/** Return a name that fits into a width: without its folders, or only its beginning. */
export function cut(/** @type {string} */ name, /** @type {number} */ width) {
  const most = Math.max(4, Math.floor(width / LETTER));
  const short = name.length > most && name.includes('/') ? `…/${name.slice(name.lastIndexOf('/') + 1)}` : name;
  const letters = [...short];
  return letters.length <= most ? short : `${letters.slice(0, most - 1).join('')}…`;
}
