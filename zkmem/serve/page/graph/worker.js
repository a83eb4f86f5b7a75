// The layout, in a thread of its own: the places of communities first, then those of the notes in each.
import { placedCircles } from './circles.js';
import { communitiesOf, renumbered } from './communities.js';
import { bodiesOf, stepsOf } from './forces.js';
import { unlinkedPlaces } from './unlinked.js';

/**
 * @import { Circle, Shape } from './circles.js'
 * @import { Body } from './forces.js'
 * @typedef {Shape & { seconds: number, steps: number, before: Int32Array }} Start
 *   `before`: the community of each node until now
 * @typedef {{ pin: number, x: number, y: number, fixed: boolean }} Pin
 * @typedef {{ communities: Int32Array } | { xy: Float32Array, done: boolean }} Progress
 * @typedef {object} Run
 * @property {Map<number, Body>} bodies
 * @property {(() => void)[]} moves each moves the notes of one community by a step
 * @property {Float32Array} xy
 * @property {number} end when the time is over
 * @property {number} left how many steps are left
 * @property {boolean} wanted whether the page can show new positions
 */

const BATCH_MS = 40;

let run = /** @type {Run | null} */ (null); // the only state of this thread

self.addEventListener('message', (/** @type {MessageEvent<Start | Pin | { ready: true }>} */ { data }) => {
  if ('links' in data) start(data);
  else if ('ready' in data && run) run.wanted = true;
  else if ('pin' in data && run) pin(run, data);
});

function start(/** @type {Start} */ { seconds, steps, before, ...shape }) {
  const order = shape.rooms.length;
  const communities = renumbered(before, communitiesOf(order, shape.links));
  self.postMessage({ communities });
  const circles = placedCircles(shape, communities);
  const bodies = bodiesOf(shape, circles);
  const moves = stepsOf(shape, circles, bodies, steps);
  const end = performance.now() + seconds * 1000;
  run = { bodies, moves, xy: withUnlinked(order, circles, bodies), end, left: moves.length ? steps : 0, wanted: true };
  turn(run);
}

/** Return positions, in which the notes without links have theirs. */
function withUnlinked(
  /** @type {number} */ order,
  /** @type {Circle[]} */ circles,
  /** @type {Map<number, Body>} */ bodies,
) {
  const extent = circles.length
    ? {
        left: Math.min(...circles.map(({ x, r }) => x - r)),
        right: Math.max(...circles.map(({ x, r }) => x + r)),
        bottom: Math.min(...circles.map(({ y, r }) => y - r)),
      }
    : null;
  const place = unlinkedPlaces(extent, order - bodies.size);
  const xy = new Float32Array(2 * order);
  for (let node = 0, at = 0; node < order; node += 1) {
    if (bodies.has(node)) continue;
    const { x, y } = place(at);
    xy.set([x, y], 2 * node);
    at += 1;
  }
  return xy;
}

/** Run the layout for a while, then let messages in. */
function turn(/** @type {Run} */ own) {
  if (own !== run) return;
  const until = performance.now() + BATCH_MS;
  while (own.left > 0 && performance.now() < until) {
    for (const move of own.moves) move();
    own.left -= 1;
  }
  const done = own.left === 0 || performance.now() > own.end;
  if (own.wanted || done) report(own, done);
  if (done) run = null;
  else setTimeout(turn, 0, own);
}

function report(/** @type {Run} */ own, /** @type {boolean} */ done) {
  own.wanted = false;
  for (const { node, x, y } of own.bodies.values()) own.xy.set([x, y], 2 * node);
  self.postMessage({ xy: own.xy, done });
}

/** Hold a node where the person drags it. */
function pin(/** @type {Run} */ { bodies, xy }, /** @type {Pin} */ { pin: node, x, y, fixed }) {
  const body = bodies.get(node);
  if (body) Object.assign(body, { x, y, fx: fixed ? x : null, fy: fixed ? y : null });
  else xy.set([x, y], 2 * node);
}
