// The order of the names that match what a person types.

export const NAMES_ASKED = 50; // of which the best are shown

/** Return names in the order of how well their last parts fit: the query itself, its beginning, a word, a part. */
export function ranked(/** @type {string[]} */ names, /** @type {string} */ query) {
  const wanted = query.toLowerCase();
  const last = (/** @type {string} */ name) => name.slice(name.lastIndexOf('/') + 1).toLowerCase();
  const rank = (/** @type {string} */ name) => {
    const part = last(name);
    if (part === wanted) return 0;
    if (part.startsWith(wanted)) return 1;
    if (part.split(/[^\p{L}\p{M}\p{N}]+/u).some((word) => word.startsWith(wanted))) return 2;
    return part.includes(wanted) ? 3 : 4;
  };
  return names.toSorted((a, b) => rank(a) - rank(b) || last(a).length - last(b).length);
}
