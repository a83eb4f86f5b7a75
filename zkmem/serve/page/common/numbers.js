// Numbers, as texts.
const format = new Intl.NumberFormat('en', { maximumFractionDigits: 2 });

export const formatNumber = (/** @type {number} */ value) => format.format(value);

/** Return "3 links" or "1 link". */
export const numberOf = (/** @type {number} */ count, /** @type {string} */ what, many = `${what}s`) =>
  `${formatNumber(count)} ${count === 1 ? what : many}`;
