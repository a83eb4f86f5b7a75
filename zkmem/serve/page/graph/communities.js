// The communities of the graph, and the numbers that they keep.

/** The number of a note that is in no community yet. */
export const NONE = 0xffffffff;

/**
 * Return new numbers for communities, so that each keeps its number, and with it its colour, while it has most of the
 * notes that had that number; others get the lowest free numbers, the largest first.
 * @param {ArrayLike<number>} before the number that each node had, or NONE
 * @param {ArrayLike<number>} now the community of each node
 * @returns {Uint32Array}
 */
export function renumbered(before, now) {
  const heirs = heirsOf(before, now);
  const sizes = counted(now, () => true);
  /** @type {Map<number, number>} */
  const numbers = new Map();
  for (const [old, community] of heirs) if (!numbers.has(community)) numbers.set(community, old);
  const taken = new Set(numbers.values());
  let free = 0;
  for (const [community] of [...sizes].sort((a, b) => b[1] - a[1] || a[0] - b[0])) {
    if (numbers.has(community)) continue;
    while (taken.has(free)) free += 1;
    numbers.set(community, free);
    taken.add(free);
  }
  return Uint32Array.from(now, (community) => /** @type {number} */ (numbers.get(community)));
}

/**
 * Return `[old number, community]` where a community has more than half of the notes that had the old number, the
 * largest shares first.
 * @param {ArrayLike<number>} before
 * @param {ArrayLike<number>} now
 */
function heirsOf(before, now) {
  const sizes = counted(before, (number) => number !== NONE);
  /** @type {Map<string, { old: number, community: number, count: number }>} */
  const shares = new Map();
  for (let at = 0; at < now.length; at += 1) {
    if (before[at] === NONE) continue;
    const key = `${before[at]} ${now[at]}`;
    const share = shares.get(key) ?? { old: before[at], community: now[at], count: 0 };
    share.count += 1;
    shares.set(key, share);
  }
  return [...shares.values()]
    .filter(({ old, count }) => 2 * count > (sizes.get(old) ?? 0))
    .sort((a, b) => b.count - a.count || a.old - b.old)
    .map(({ old, community }) => /** @type {[number, number]} */ ([old, community]));
}

/**
 * Return how often each number occurs.
 * @param {ArrayLike<number>} numbers
 * @param {(number: number) => boolean} counts
 */
function counted(numbers, counts) {
  /** @type {Map<number, number>} */
  const sizes = new Map();
  for (let at = 0; at < numbers.length; at += 1) {
    if (counts(numbers[at])) sizes.set(numbers[at], (sizes.get(numbers[at]) ?? 0) + 1);
  }
  return sizes;
}
