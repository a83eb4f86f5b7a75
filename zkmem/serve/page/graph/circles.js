// The places of communities: each is a circle, linked ones side by side, and components apart from each other.
import {
  forceCollide,
  forceLink,
  forceSimulation,
  forceX,
  forceY,
  packEnclose,
  packSiblings,
} from '../vendor/layout.js';
import { NONE, SPACING } from './measures.js';
import { seeded } from './seeded.js';

/**
 * @typedef {object} Shape the graph as numbers
 * @property {Uint32Array} links source, target, source, target, ...
 * @property {Float32Array} rooms the radius of each node with its share of the space between nodes
 * @typedef {{ members: number[], r: number, x: number, y: number }} Circle
 * @typedef {{ source: number, target: number, count: number }} CircleLink links between two circles
 */

const FILLED = 0.42; // the part of a circle that its nodes take
const GAP = 1.5 * SPACING; // between communities
const COMPONENT_GAP = 2 * SPACING; // between components
const STEPS = 300;

/**
 * Return a circle for each community, each in its place. The largest component is in the middle.
 * @param {Shape} shape
 * @param {Int32Array} communities
 * @returns {Circle[]}
 */
export function placedCircles(shape, communities) {
  const { circles, indexOf } = circlesOf(shape, communities);
  const circleLinks = circleLinksOf(shape, communities, indexOf);
  const components = componentsOf(circles.length, circleLinks).map((indices) => {
    const own = indices.map((at) => circles[at]);
    packSiblings(own.toSorted((a, b) => b.r - a.r));
    if (own.length > 2) attract(own, circleLinksWithin(indices, circleLinks));
    return enclosed(own);
  });
  components.sort((a, b) => b.r - a.r);
  for (const { circles: own, x, y } of packSiblings(components)) {
    for (const circle of own) Object.assign(circle, { x: circle.x + x, y: circle.y + y });
  }
  return circles;
}

/**
 * @param {Shape} shape
 * @param {Int32Array} communities
 */
function circlesOf({ rooms }, communities) {
  /** @type {Map<number, number>} */
  const indexOf = new Map();
  /** @type {Circle[]} */
  const circles = [];
  communities.forEach((community, node) => {
    if (community === NONE) return;
    const at = indexOf.get(community) ?? circles.length;
    if (at === circles.length) circles.push({ members: [], r: 0, x: 0, y: 0 });
    indexOf.set(community, at);
    circles[at].members.push(node);
  });
  for (const circle of circles) {
    circle.r = Math.sqrt(circle.members.reduce((sum, node) => sum + rooms[node] ** 2, 0) / FILLED);
  }
  return { circles, indexOf };
}

/**
 * Return how many links go from one circle to another.
 * @param {Shape} shape
 * @param {Int32Array} communities
 * @param {Map<number, number>} indexOf
 */
function circleLinksOf({ links }, communities, indexOf) {
  /** @type {Map<number, CircleLink>} */
  const circleLinks = new Map();
  for (let at = 0; at < links.length; at += 2) {
    const ends = [links[at], links[at + 1]].map((node) => indexOf.get(communities[node]) ?? 0);
    const [source, target] = ends[0] < ends[1] ? ends : [ends[1], ends[0]];
    if (source === target) continue;
    const key = source * indexOf.size + target;
    const circleLink = circleLinks.get(key) ?? { source, target, count: 0 };
    circleLink.count += 1;
    circleLinks.set(key, circleLink);
  }
  return [...circleLinks.values()];
}

/**
 * Return the indices of the circles of each component.
 * @param {number} count
 * @param {CircleLink[]} circleLinks
 */
function componentsOf(count, circleLinks) {
  const heads = Array.from({ length: count }, (_, at) => at);
  const headOf = (/** @type {number} */ at) => {
    while (heads[at] !== at) at = heads[at] = heads[heads[at]];
    return at;
  };
  for (const { source, target } of circleLinks) heads[headOf(target)] = headOf(source);
  /** @type {Map<number, number[]>} */
  const components = new Map();
  heads.forEach((_, at) => {
    const component = components.get(headOf(at));
    if (component) component.push(at);
    else components.set(headOf(at), [at]);
  });
  return [...components.values()];
}

/**
 * Return the links between some circles, with the numbers that the circles have among these.
 * @param {number[]} indices
 * @param {CircleLink[]} circleLinks
 */
function circleLinksWithin(indices, circleLinks) {
  const own = new Map(indices.map((index, at) => [index, at]));
  return circleLinks.flatMap(({ source, target, count }) => {
    const [from, to] = [own.get(source), own.get(target)];
    return from === undefined || to === undefined ? [] : [{ source: from, target: to, count }];
  });
}

/**
 * Move circles that lie side by side so that linked ones are near, and still none lies over another.
 * @param {Circle[]} circles
 * @param {CircleLink[]} circleLinks
 */
function attract(circles, circleLinks) {
  const most = Math.max(...circleLinks.map(({ count }) => count));
  const distance = (/** @type {{ source: any, target: any }} */ { source, target }) => source.r + target.r + GAP;
  const strength = (/** @type {CircleLink} */ { count }) => 0.5 * Math.sqrt(count / most);
  forceSimulation(circles)
    .randomSource(seeded(1))
    .force('link', forceLink(circleLinks).distance(distance).strength(strength))
    .force('collide', forceCollide((/** @type {Circle} */ { r }) => r + GAP / 2).iterations(4))
    .force('x', forceX(0).strength(0.06))
    .force('y', forceY(0).strength(0.06))
    .stop()
    .tick(STEPS);
}

/** Return the circle around circles, moved so that its middle is at 0, 0. */
function enclosed(/** @type {Circle[]} */ circles) {
  const { x, y, r } = packEnclose(circles);
  for (const circle of circles) Object.assign(circle, { x: circle.x - x, y: circle.y - y });
  return { circles, r: r + COMPONENT_GAP / 2, x: 0, y: 0 };
}
