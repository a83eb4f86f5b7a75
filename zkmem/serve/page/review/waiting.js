// Keeps the list of the edits that clients have proposed up to date.
import { api } from '../server/api.js';
import { throttled } from '../server/live.js';
import { changed, connection, proposals, proposed, vault } from '../state.js';

/** Fetch the list now. A caller whose own edits are proposed has none. */
export async function fetchProposed() {
  if (!vault.peek()?.proposes) proposed.value = (await api.proposed()).change_sets;
}

/** Fetch the list now, whenever proposed edits or notes change, and at each new connection to the server. */
export function followProposed() {
  const fetch = throttled(() => fetchProposed().catch(() => {})); // other requests say what is wrong
  for (const news of [changed, proposals, connection]) news.subscribe(() => fetch(null));
}

/** Return how many edits wait. */
export const waitingCount = () => proposed.value.reduce((sum, { total }) => sum + total, 0);
