// The note of the graph that a typed name stands for.
import { useEffect, useState } from '../vendor/ui.js';
import { api } from '../server/api.js';
import { isolated } from '../common/bidi.js';
import { graphEtag, noteNames } from '../state.js';
import { keyOf } from './model.js';

/**
 * @import { NoteGraph } from './model.js'
 * @typedef {{ key: string | null, problem: string }} Found
 */

const PAUSE_MS = 250; // without a key, before the aliases are asked for
const ALIASES = 20;
const MOST_NAMED = 3;
/** @type {Found} */
const NOTHING = { key: null, problem: '' };

/**
 * Return the node for a name, for the last part of one, or for an alias; `problem` says why there is none.
 * @param {NoteGraph | undefined} graph
 * @param {string} typed
 * @returns {Found}
 */
export function useTypedName(graph, typed) {
  const name = typed.trim();
  const [answer, setAnswer] = useState({
    name: '',
    named: /** @type {string[]} */ ([]),
  });
  const known = graph && name ? withName(graph, name) : [];
  const unknown = Boolean(graph && name && !known.length);
  useEffect(() => {
    if (!unknown) return undefined;
    const stop = new AbortController();
    const set = (/** @type {string[]} */ named) => stop.signal.aborted || setAnswer({ name, named });
    const timer = setTimeout(
      () => withAlias(name, stop.signal).then(set, () => set([])), // a name that the server refuses is none
      PAUSE_MS,
    );
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [name, unknown, graphEtag.value]);
  if (!graph || !name) return NOTHING;
  if (unknown && answer.name !== name) return NOTHING; // the answer is on its way
  const names = known.length ? known : answer.named;
  if (names.length === 1) return { key: keyOf(graph, names[0]), problem: '' };
  return {
    key: null,
    problem: names.length ? ambiguous(name, names) : `There is no note “${name}”.`,
  };
}

/** Return the name itself, if the graph has it; else the names of the notes with this last part. */
export function withName(/** @type {NoteGraph} */ graph, /** @type {string} */ name) {
  if (keyOf(graph, name) !== null) return [name];
  const end = `/${name.toLowerCase()}`;
  return noteNames.value.filter((one) => `/${one.toLowerCase()}`.endsWith(end));
}

/** Return the names of the notes with this alias. */
async function withAlias(/** @type {string} */ name, /** @type {AbortSignal} */ signal) {
  const { aliases } = await api.places(name, ALIASES, signal);
  const wanted = name.toLowerCase();
  return [...new Set(aliases.filter(({ text }) => text.toLowerCase() === wanted).map((one) => one.name))];
}

export function ambiguous(/** @type {string} */ name, /** @type {string[]} */ names) {
  const more = names.length > MOST_NAMED ? ` and ${names.length - MOST_NAMED} more` : '';
  const some = names.slice(0, MOST_NAMED).map(isolated).join(', ');
  return `“${isolated(name)}” may be ${some}${more}: write the whole name.`;
}
