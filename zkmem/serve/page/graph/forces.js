// The places of notes within the circle of their community.
import { forceCollide, forceLink, forceManyBody, forceSimulation, forceX, forceY } from '../vendor/layout.js';
import { SPACING, TURN } from './measures.js';
import { seeded } from './seeded.js';

/**
 * @import { Circle, Shape } from './circles.js'
 * @typedef {object} Body a node while it moves
 * @property {number} node
 * @property {Circle} circle
 * @property {number} room
 * @property {{ x: number, y: number }} outward the sum of the directions to linked notes of other communities
 * @property {number} x
 * @property {number} y
 * @property {number} [vx]
 * @property {number} [vy]
 * @property {number | null} [fx] where it is held
 * @property {number | null} [fy]
 */

const LAST_ALPHA = 0.001; // d3 scales its forces by alpha, which falls from 1
const UNTIL = 0.6; // of the steps: until then notes push each other away, later they only do not overlap

/**
 * Return the bodies of all nodes in circles, by node. Each begins in its circle, those with most room in the middle.
 * @param {Shape} shape
 * @param {Circle[]} circles
 */
export function bodiesOf({ rooms }, circles) {
  /** @type {Map<number, Body>} */
  const bodies = new Map();
  for (const circle of circles) {
    circle.members
      .toSorted((a, b) => rooms[b] - rooms[a])
      .forEach((node, at) => {
        const away = circle.r * 0.9 * Math.sqrt((at + 0.3) / circle.members.length);
        const [x, y] = [circle.x + away * Math.cos(at * TURN), circle.y + away * Math.sin(at * TURN)];
        bodies.set(node, { node, circle, room: rooms[node], outward: { x: 0, y: 0 }, x, y });
      });
  }
  return bodies;
}

/**
 * Return functions, one for each circle, that move its bodies by one of `steps` steps.
 * @param {Shape} shape
 * @param {Circle[]} circles
 * @param {Map<number, Body>} bodies
 * @param {number} steps
 */
export function stepsOf({ links }, circles, bodies, steps) {
  /** @type {Map<Circle, { source: Body, target: Body }[]>} */
  const within = new Map(circles.map((circle) => [circle, []]));
  for (let at = 0; at < links.length; at += 2) {
    const [source, target] = [bodies.get(links[at]), bodies.get(links[at + 1])];
    if (!source || !target) continue;
    if (source.circle === target.circle) within.get(source.circle)?.push({ source, target });
    else pull(source, target);
  }
  return circles
    .filter(({ members }) => members.length > 1)
    .map((circle) => {
      const own = circle.members.map((node) => /** @type {Body} */ (bodies.get(node)));
      const simulation = simulated(circle, own, within.get(circle) ?? [], steps);
      let step = 0;
      return () => {
        if (step === Math.floor(steps * UNTIL)) endRepulsion(simulation);
        simulation.tick();
        step += 1;
      };
    });
}

/** Remember for both ends of a link between communities where the other one is. */
function pull(/** @type {Body} */ source, /** @type {Body} */ target) {
  const [x, y] = [target.circle.x - source.circle.x, target.circle.y - source.circle.y];
  const length = Math.hypot(x, y) || 1;
  for (const [{ outward }, sign] of /** @type {[Body, number][]} */ ([
    [source, 1],
    [target, -1],
  ])) {
    outward.x += (sign * x) / length;
    outward.y += (sign * y) / length;
  }
}

/**
 * @param {Circle} circle
 * @param {Body[]} bodies
 * @param {{ source: Body, target: Body }[]} links
 * @param {number} steps
 */
function simulated(circle, bodies, links, steps) {
  const distance = (/** @type {{ source: Body, target: Body }} */ { source, target }) =>
    source.room + target.room + SPACING / 2;
  const goal =
    (/** @type {'x' | 'y'} */ axis) =>
    (/** @type {Body} */ { outward }) => {
      const length = Math.hypot(outward.x, outward.y);
      return circle[axis] + (length ? (0.6 * circle.r * outward[axis]) / (length + 2) : 0);
    };
  return forceSimulation(bodies)
    .randomSource(seeded(1))
    .alphaDecay(1 - LAST_ALPHA ** (1 / steps))
    .velocityDecay(0.35)
    .force('link', forceLink(links).distance(distance))
    .force(
      'charge',
      forceManyBody()
        .strength(-2.5 * SPACING)
        .theta(1)
        .distanceMax(circle.r),
    )
    .force('x', forceX(goal('x')).strength(0.08))
    .force('y', forceY(goal('y')).strength(0.08))
    .force('edge', () => keepWithin(circle, bodies))
    .stop();
}

/** Replace the repulsion, which costs most, by a force that only keeps notes from overlapping. */
const endRepulsion = (/** @type {ReturnType<typeof simulated>} */ simulation) =>
  simulation.force('charge', null).force(
    'collide',
    forceCollide((/** @type {Body} */ { room }) => room),
  );

/** Turn bodies back that would leave their circle. */
function keepWithin(/** @type {Circle} */ { x, y, r }, /** @type {Body[]} */ bodies) {
  for (const body of bodies) {
    const [right, up] = [body.x - x, body.y - y];
    const beyond = Math.hypot(right, up) + body.room - r;
    if (beyond <= 0) continue;
    const part = beyond / Math.hypot(right, up);
    body.vx = (body.vx ?? 0) - 0.5 * part * right;
    body.vy = (body.vy ?? 0) - 0.5 * part * up;
  }
}
