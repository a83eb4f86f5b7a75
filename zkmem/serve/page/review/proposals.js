// The list of edits that clients propose, and how many there are.
import { effect } from '../vendor/ui.js';
import { api } from '../server/api.js';
import { throttled } from '../server/live.js';
import { askedProposed, changed, connection, proposals, proposed, vault } from '../state.js';

/** Fetch the list now. It is empty for a caller whose own edits are proposed. */
export async function fetchProposed() {
  try {
    if (!vault.peek()?.proposes) proposed.value = (await api.proposed()).change_sets;
  } finally {
    askedProposed.value = true;
  }
}

/** Fetch the list at each new connection to the server, and whenever proposed edits or notes change. */
export function followProposed() {
  const fetch = throttled(() => fetchProposed().catch(() => {})); // errors are shown by other requests
  effect(() => {
    const { names } = changed.value;
    if (connection.value !== 'connecting' && proposals.value >= 0) fetch(names);
  });
}

/** Return how many edits wait. */
export const waitingCount = () => proposed.value.reduce((sum, { total }) => sum + total, 0);
