// The parts of names; how well names fit what a person types, and their order.

export const NAMES_ASKED = 50; // of which the best are shown

const isPartOfWord = (/** @type {string} */ letter) => /[\p{L}\p{M}\p{N}]/u.test(letter);

/**
 * Return where a text has the query: at its beginning, else at the beginning of a word, else inside one; -1 if nowhere.
 * @param {string} text
 * @param {string} query
 */
export function placeIn(text, query) {
  const [whole, wanted] = [text.toLowerCase(), query.toLowerCase()];
  const first = whole.indexOf(wanted);
  for (let at = first; at >= 0; at = whole.indexOf(wanted, at + 1)) {
    if (at === 0 || !isPartOfWord(whole[at - 1])) return at;
  }
  return first;
}

/**
 * Return how well a text fits a query: 0 if it is the query, 1 if it begins with it, 2 if one of its words does, 3 if
 * the query is inside a word, 4 if it is nowhere.
 * @param {string} text
 * @param {string} query
 */
export function fit(text, query) {
  const at = placeIn(text, query);
  if (at < 0) return 4;
  if (at === 0) return text.length === query.length ? 0 : 1;
  return isPartOfWord(text[at - 1]) ? 3 : 2;
}

const FILE = /\.(?:png|jpe?g|gif|webp|avif|bmp|svg|pdf|mp3|wav|m4a|ogg|flac|3gp|mp4|webm|ogv|mov|mkv)$/i;

/** Return whether a name is that of a picture, sound, film or PDF: if it is missing, it is no new note. */
export const isFile = (/** @type {string} */ name) => FILE.test(name);

/** Return the folders of a name, with the slash after them, and the part after that. */
export function parted(/** @type {string} */ name) {
  const cut = name.lastIndexOf('/') + 1;
  return { folders: name.slice(0, cut), last: name.slice(cut) };
}

/** Return names in the order of how well their last parts fit. */
export function ranked(/** @type {string[]} */ names, /** @type {string} */ query) {
  const last = (/** @type {string} */ name) => parted(name).last;
  return names.toSorted((a, b) => fit(last(a), query) - fit(last(b), query) || last(a).length - last(b).length);
}
