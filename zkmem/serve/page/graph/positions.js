// The positions of nodes, saved in the browser, so that a reload shows the same picture at once.

const MOST = 20_000; // nodes; beyond that the browser's store is too small for a vault

const keyFor = (vault) => `zkmem:places:${vault}`;

/** A lookup from node to `{ x, y, community }`, or undefined. */
export function savedPositions(vault) {
  const saved = JSON.parse(localStorage.getItem(keyFor(vault)) ?? '{}');
  return (key) => {
    const position = Object.hasOwn(saved, key) ? saved[key] : null;
    return position ? { x: position[0], y: position[1], community: position[2] } : undefined;
  };
}

export function savePositions(vault, graph) {
  if (graph.order > MOST) return;
  const positions = {};
  graph.forEachNode((key, { x, y, community = 0 }) => (positions[key] = [rounded(x), rounded(y), community]));
  try {
    localStorage.setItem(keyFor(vault), JSON.stringify(positions));
  } catch (error) {
    if (error.name !== 'QuotaExceededError') throw error; // full: the next visit arranges the graph anew
  }
}

/** Called at sign-out: the names of notes are not for the next person at this browser. */
export const forgetPositions = (vault) => localStorage.removeItem(keyFor(vault));

const rounded = (number) => Math.round(number * 10) / 10;
