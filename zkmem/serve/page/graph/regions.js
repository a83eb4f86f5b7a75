// The regions of the map: its communities, each with a name and a place, and the notes without links.
import { NONE, SPACING } from './measures.js';
import { isMissing } from './model.js';

/**
 * @import { Node, NoteGraph } from './model.js'
 * @typedef {{ key: string, node: Node }} Member
 * @typedef {object} Region
 * @property {string} name
 * @property {string} [note] the note that it is called after
 * @property {number} x
 * @property {number} y
 * @property {number} r the distance from its middle to its upper edge
 * @property {number} count
 * @property {boolean} [unlinked] whether it is that of the notes without links
 */

const LEAST = 4; // notes; a smaller community needs no name besides those of its notes
const MOST_OF = 0.7; // of the notes of a region are in the folder that it is called after
const INSIDE = 0.9; // of the notes of a region are within its radius

/**
 * Return the regions, the largest first. A region is called after the folder that most of its notes share and most
 * others do not, else after its heaviest note.
 * @param {NoteGraph} graph
 * @param {(key: string) => boolean} visible
 * @returns {Region[]}
 */
export function regionsOf(graph, visible = () => true) {
  const communities = membersOf(graph, visible);
  const namesakes = counted([...communities.values()].map(folderOf));
  return [...communities.values()]
    .map((members) => {
      const folder = folderOf(members);
      const isFolder = folder && namesakes.get(folder) === 1;
      const called = isFolder ? { name: folder } : calledAfter(heaviest(members));
      return { ...called, ...circleOf(members), count: members.length };
    })
    .sort((a, b) => b.count - a.count);
}

/**
 * Return the region of the notes without links; null if they are too few for a name.
 * @param {NoteGraph} graph
 * @param {(key: string) => boolean} visible
 * @returns {Region | null}
 */
export function unlinkedRegion(graph, visible = () => true) {
  const isUnlinked = (/** @type {string} */ key, { community = NONE }) => community === NONE && graph.degree(key) === 0;
  const alone = graph.filterNodes((key, node) => isUnlinked(key, node) && visible(key));
  if (alone.length < LEAST) return null;
  const range = { left: Infinity, right: -Infinity, bottom: Infinity, top: -Infinity };
  for (const key of alone) {
    const { x, y } = graph.getNodeAttributes(key);
    Object.assign(range, { left: Math.min(range.left, x), right: Math.max(range.right, x) });
    Object.assign(range, { bottom: Math.min(range.bottom, y), top: Math.max(range.top, y) });
  }
  const [x, y] = [(range.left + range.right) / 2, (range.bottom + range.top) / 2];
  return { name: 'No links', x, y, r: range.top - y + SPACING / 2, count: alone.length, unlinked: true };
}

/**
 * @param {NoteGraph} graph
 * @param {(key: string) => boolean} visible
 */
function membersOf(graph, visible) {
  /** @type {Map<number, Member[]>} */
  const communities = new Map();
  graph.forEachNode((key, node) => {
    const { community = NONE } = node;
    if (community === NONE || isMissing(key) || !visible(key)) return;
    const members = communities.get(community);
    if (members) members.push({ key, node });
    else communities.set(community, [{ key, node }]);
  });
  for (const [community, members] of communities) if (members.length < LEAST) communities.delete(community);
  return communities;
}

/** Return the folder of most notes of a region; '' if there is none. */
function folderOf(/** @type {Member[]} */ members) {
  const counts = counted(members.map(({ node }) => node.folder ?? ''));
  const [folder, count] = [...counts].reduce((most, one) => (one[1] > most[1] ? one : most));
  return count >= MOST_OF * members.length ? folder : '';
}

const heaviest = (/** @type {Member[]} */ members) =>
  members.reduce((most, one) => (one.node.weight > most.node.weight ? one : most));

const calledAfter = (/** @type {Member} */ { key, node }) => ({ name: node.label, note: key });

/** Return the middle of the nodes, and the distance within which most of them are. */
function circleOf(/** @type {Member[]} */ members) {
  const x = members.reduce((sum, { node }) => sum + node.x, 0) / members.length;
  const y = members.reduce((sum, { node }) => sum + node.y, 0) / members.length;
  const away = members.map(({ node }) => Math.hypot(node.x - x, node.y - y)).sort((a, b) => a - b);
  return { x, y, r: away[Math.floor(INSIDE * (away.length - 1))] };
}

/**
 * Return how often each value occurs.
 * @template T
 * @param {T[]} values
 */
function counted(values) {
  /** @type {Map<T, number>} */
  const counts = new Map();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}
