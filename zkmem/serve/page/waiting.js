// Keeps the list of the edits that clients have proposed up to date.
import { api } from './api.js';
import { changed, proposed, vault } from './state.js';
import { effect } from './vendor/ui.js';

const PAUSE = 15_000; // milliseconds; another process may have the client that proposes, so no event reports it

/** Fetch the list now. A caller whose own edits are proposed has none. */
export async function fetchProposed() {
  if (!vault.peek()?.proposes) proposed.value = (await api.proposed()).change_sets;
}

/** Fetch the list now, after each change of a note, and regularly while the page is in sight. */
export function followProposed() {
  const fetch = () => fetchProposed().catch(() => {}); // the next time may succeed; other requests say what is wrong
  effect(() => {
    if (changed.value.at >= 0) fetch();
  });
  setInterval(() => !document.hidden && fetch(), PAUSE);
  addEventListener('visibilitychange', () => !document.hidden && fetch());
}

/** Return how many edits wait. */
export const waitingCount = () => proposed.value.reduce((sum, { total }) => sum + total, 0);
