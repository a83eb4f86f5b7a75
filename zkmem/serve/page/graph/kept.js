// Where nodes stood last time, kept in the browser, so that a reload shows the same picture at once.

const MOST = 20_000; // nodes; beyond that the browser's store is too small for a vault

const keyFor = (vault) => `zkmem:places:${vault}`;

/** A lookup from node to `{ x, y, community }`, or undefined. */
export function recalled(vault) {
  const kept = JSON.parse(localStorage.getItem(keyFor(vault)) ?? '{}');
  return (key) => {
    const place = Object.hasOwn(kept, key) ? kept[key] : null;
    return place ? { x: place[0], y: place[1], community: place[2] } : undefined;
  };
}

export function keep(vault, graph) {
  if (graph.order > MOST) return;
  const places = {};
  graph.forEachNode((key, { x, y, community = 0 }) => (places[key] = [rounded(x), rounded(y), community]));
  try {
    localStorage.setItem(keyFor(vault), JSON.stringify(places));
  } catch (error) {
    if (error.name !== 'QuotaExceededError') throw error; // full: the next visit arranges the graph anew
  }
}

/** Names of notes are not for whoever uses this browser next. */
export const forget = (vault) => localStorage.removeItem(keyFor(vault));

const rounded = (number) => Math.round(number * 10) / 10;
