// Lengths that the page and its worker share.

/** The distance of two small notes side by side. */
export const SPACING = 12;

/** The number of a node that is in no community: it has no links, or the layout has not seen it yet. */
export const NONE = -1;

/** The golden angle, at which no two points of a spiral are in line. */
export const TURN = Math.PI * (3 - Math.sqrt(5));
