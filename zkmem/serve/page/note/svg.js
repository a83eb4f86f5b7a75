// How much a browser would draw for an SVG. A few elements `<use>` that show one another can stand for millions.

const MOST_ELEMENTS = 20_000;

/** Return whether an SVG is small enough to be drawn, where each `<use>` counts as what it shows. */
export function isSmall(/** @type {string} */ source) {
  const { documentElement } = new DOMParser().parseFromString(source, 'image/svg+xml'); // it draws and runs nothing
  const sizes = /** @type {Map<Element, number>} */ (new Map());
  const size = (/** @type {Element} */ element) => {
    const known = sizes.get(element);
    if (known !== undefined) return known;
    sizes.set(element, 1); // a `<use>` inside itself shows nothing
    let total = 1;
    const shown = element.localName === 'use' ? targetOf(element) : null;
    for (const one of shown ? [...element.children, shown] : element.children) total += size(one);
    sizes.set(element, total);
    return total;
  };
  return size(documentElement) <= MOST_ELEMENTS;
}

/** Return the element that a `<use>` shows, in the same file. */
function targetOf(/** @type {Element} */ use) {
  const address = use.getAttribute('href') ?? use.getAttributeNS('http://www.w3.org/1999/xlink', 'href') ?? '';
  return address.startsWith('#') ? use.ownerDocument.getElementById(address.slice(1)) : null;
}
