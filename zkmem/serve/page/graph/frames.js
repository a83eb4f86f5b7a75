// The frames of a replay, from the answer of GET /replay: what is shown after each of them, and which moves when.
import { numberOf } from '../common/numbers.js';
import { sinceText } from '../common/when.js';
import { nameOf } from '../common/who.js';

/**
 * @import * as Messages from '../messages.d.ts'
 * @typedef {Messages.Replay} Answer
 * @typedef {Answer['steps'][number]} Step
 * @typedef {object} Life when a note or link is there: whether at the beginning, and the frames that change that
 * @property {boolean} first
 * @property {number[]} turns in order
 * @typedef {Life & { name: string, missing: boolean, names: [number, string][] }} NodeLife `name`: the last one;
 *   `names`: the name from each frame on at which it changes, from frame 0 on
 * @typedef {Life & { source: number, target: number }} LinkLife
 * @typedef {object} Frame what happens at one time; numbers of nodes and links
 * @property {Step} step the most important one
 * @property {number} more how many other edits there are
 * @property {number[]} nodes that come, go, change or get another name
 * @property {number[]} links that come or go
 * @typedef {{ edits: number, left: number, frames: Frame[], nodes: NodeLife[], links: LinkLife[] }} Script `edits`:
 *   those that are shown; `left`: how many earlier ones are left out
 */

export const TOTAL_MS = 10_000;
export const MOVE_MS = 1100; // of what comes, goes or changes
const LEAD_MS = 700; // for which one sees the beginning
const MOST_FRAMES = 80; // more cannot be told apart in ten seconds

/** Return the frames of a replay; of many edits, some share a frame. */
export function scriptOf(/** @type {Answer} */ { steps, nodes, edits }) {
  const chosen = steps.filter(({ edit }) => edit !== null).length;
  const lives = livesOf(nodes);
  /** @type {Frame[]} */
  const frames = [];
  let /** @type {Step[]} */ waiting = [];
  let count = 0;
  for (const [at, step] of steps.entries()) {
    waiting.push(step);
    if (step.edit !== null) count += 1;
    const isFull = step.edit !== null && shareOf(count + 1, chosen) > shareOf(count, chosen);
    const isBeforeOthers = count === chosen && steps[at + 1]?.edit === null;
    if (!isFull && !isBeforeOthers && at < steps.length - 1) continue;
    frames.push(frameOf(waiting, lives, frames.length + 1));
    waiting = [];
  }
  return { edits: chosen, left: edits - chosen, frames, ...lives.all() };
}

/** Return the frame in which an edit is, if all share at most `MOST_FRAMES`. */
const shareOf = (/** @type {number} */ edit, /** @type {number} */ edits) =>
  Math.floor(((edit - 1) * Math.min(edits, MOST_FRAMES)) / edits);

/**
 * Return the frame of some steps.
 * @param {Step[]} steps
 * @param {ReturnType<typeof livesOf>} lives
 * @param {number} at its number
 */
function frameOf(steps, lives, at) {
  const own = steps.filter(({ edit }) => edit !== null);
  const step = (own.length ? own : steps).toSorted((one, other) => rankOf(one) - rankOf(other))[0];
  const { edits: all } = step;
  const more = (own.length ? own : steps).reduce((sum, { edits }) => sum + edits, 0) - all;
  return { step, more, ...lives.take(steps, at) };
}

/** Return how important a step is for a person: 0 is the most. What destroys comes first. */
const rankOf = (/** @type {Step} */ { gone, renamed, new: added, changed }) =>
  [gone, renamed, added, changed].findIndex((list) => list.length) >>> 0;

/** Follow notes and links through the steps: a renamed note stays the same one. */
function livesOf(/** @type {Answer['nodes']} */ named) {
  /** @type {NodeLife[]} */
  const nodes = [];
  /** @type {LinkLife[]} */
  const links = [];
  const at = /** @type {Map<number, number>} */ (new Map()); // the node that a number of the answer stands for now
  const linkAt = /** @type {Map<string, number>} */ (new Map());
  const touched = /** @type {Set<Life>} */ (new Set()); // those whose beginning is known

  function nodeOf(/** @type {number} */ number) {
    const node = at.get(number) ?? nodes.length;
    if (node === nodes.length) {
      const { name, missing } = named[number];
      nodes.push({ name, missing, names: [[0, name]], first: true, turns: [] });
      at.set(number, node);
    }
    return node;
  }

  function linkOf(/** @type {number} */ source, /** @type {number} */ target) {
    const key = `${nodeOf(source)} ${nodeOf(target)}`;
    const link = linkAt.get(key) ?? links.length;
    if (link === links.length) {
      links.push({ source: nodeOf(source), target: nodeOf(target), first: true, turns: [] });
      linkAt.set(key, link);
    }
    return link;
  }

  /** Let a life begin or end; the first turn says how it began. */
  function turn(/** @type {Life} */ life, /** @type {boolean} */ isThere, /** @type {number} */ frame) {
    if (!touched.has(life)) life.first = !isThere;
    touched.add(life);
    if (isThereAt(life, frame) === isThere) return;
    if (life.turns.at(-1) === frame)
      life.turns.pop(); // it came and went in one frame
    else life.turns.push(frame);
  }

  /** Take the steps of a frame; return the nodes and links that it changes. */
  function take(/** @type {Step[]} */ steps, /** @type {number} */ frame) {
    const marked = /** @type {Set<number>} */ (new Set());
    const moved = /** @type {Set<number>} */ (new Set());
    const turnAll = (/** @type {number[]} */ pairs, /** @type {boolean} */ isThere) => {
      for (const [source, target] of pairsOf(pairs)) {
        const link = linkOf(source, target);
        turn(links[link], isThere, frame);
        moved.add(link);
      }
    };
    for (const { new: added, gone, changed, renamed, links: came, cut } of steps) {
      turnAll(cut, false); // while the notes have their old names
      for (const [from, to] of pairsOf(renamed)) {
        const node = nodeOf(from);
        at.delete(from);
        at.set(to, node);
        touched.add(nodes[node]);
        nodes[node].name = named[to].name;
        nodes[node].names.push([frame, named[to].name]);
        marked.add(node);
      }
      for (const number of [...gone, ...added]) {
        turn(nodes[nodeOf(number)], added.includes(number), frame);
        marked.add(nodeOf(number));
      }
      for (const number of changed) marked.add(nodeOf(number));
      turnAll(came, true);
    }
    return { nodes: [...marked], links: [...moved].filter((link) => links[link].turns.at(-1) === frame) };
  }

  return { take, all: () => ({ nodes, links }) };
}

const pairsOf = (/** @type {number[]} */ list) =>
  Array.from({ length: list.length / 2 }, (_, at) => [list[2 * at], list[2 * at + 1]]);

/** Return whether a note or link is there after so many frames. */
export const isThereAt = (/** @type {Life} */ { first, turns }, /** @type {number} */ frame) =>
  first !== (turns.filter((turn) => turn <= frame).length % 2 === 1);

/** Return the name of a note after so many frames. */
export const nameAt = (/** @type {NodeLife} */ { names }, /** @type {number} */ frame) =>
  names.findLast(([from]) => from <= frame)?.[1] ?? names[0][1];

/** Return when a frame begins, in milliseconds; frames are counted from 1. */
export const startOf = (/** @type {number} */ frame, /** @type {number} */ frames) =>
  LEAD_MS + ((frame - 1) * (TOTAL_MS - LEAD_MS - MOVE_MS - 200)) / Math.max(1, frames - 1);

/** Return how many frames have begun at a time. */
export function frameAt(/** @type {number} */ time, /** @type {number} */ frames) {
  let frame = 0;
  while (frame < frames && startOf(frame + 1, frames) <= time) frame += 1;
  return frame;
}

/**
 * Return the frames that move at a time, each with the part of its movement that is over, from 0 to 1.
 * @param {number} time
 * @param {number} frames
 * @returns {[number, number][]}
 */
export function movingAt(time, frames) {
  /** @type {[number, number][]} */
  const moving = [];
  for (let frame = frameAt(time, frames); frame > 0; frame -= 1) {
    const part = (time - startOf(frame, frames)) / MOVE_MS;
    if (part >= 1) break;
    moving.unshift([frame, part]);
  }
  return moving;
}

/** Return what one sees after so many frames, in words; `now` in seconds since 1970. */
export function captionOf(/** @type {Script} */ script, /** @type {number} */ frame, /** @type {number} */ now) {
  const { frames, edits } = script;
  if (!frames.length) return 'Nothing has changed.';
  if (frame === 0) return `Before ${numberOf(edits, 'edit')}, ${sinceText(frames[0].step.time, now)}`;
  const { step, more } = frames[frame - 1];
  const when = sinceText(step.time, now);
  if (step.edit === null) return step.edits ? `${when}: ${numberOf(step.edits, 'later edit')}` : 'Now';
  const who = nameOf(step);
  const by = step.outside ? who[0].toLowerCase() + who.slice(1) : who; // a client keeps its letters
  const text = `${when} ${by}: ${step.words}${more ? `, and ${numberOf(more, 'more edit')}` : ''}`;
  return frame === frames.length && edits > 1 ? `The last of ${numberOf(edits, 'edit')}: ${text}` : text;
}
