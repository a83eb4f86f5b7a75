// The server's events of changed notes. They are read as a stream, because EventSource cannot send the token.
import { createParser } from '../vendor/stream.js';
import { request } from './api.js';
import { statusOf } from './error.js';
import { changed, connection, missedChanges, oldestVersion, proposals } from '../state.js';
import { tokenGiven } from '../person/token.js';

const SILENCE_MS = 40_000; // the server sends something every 15 s
const LONGEST_MS = 30_000;

/**
 * Follow the events for ever. Before each connection, changes may have been missed; before the first one only if the
 * index has changed since the first answer that the page shows.
 */
export async function followEvents() {
  let wait = 1000;
  for (;;) {
    const hello = (/** @type {number} */ version) => {
      wait = 1000;
      if (connection.peek() === 'off' || version !== oldestVersion.peek()) missedChanges.value += 1;
      connection.value = 'live';
    };
    const error = await listen(hello).catch((/** @type {unknown} */ failure) => failure);
    connection.value = 'off';
    if (statusOf(error) === 401)
      await tokenGiven(); // the person gave up: the page does not ask again by itself
    else await pause(wait * (0.75 + Math.random() / 2));
    wait = Math.min(2 * wait, LONGEST_MS);
  }
}

async function listen(/** @type {(version: number) => void} */ hello) {
  const stop = new AbortController();
  let watchdog = 0;
  const alive = () => {
    clearTimeout(watchdog);
    watchdog = setTimeout(() => stop.abort(), SILENCE_MS);
  };
  try {
    const { body } = await request('events', { headers: { Accept: 'text/event-stream' }, signal: stop.signal });
    if (!body) return;
    const parser = createParser({
      onEvent({ event, data }) {
        if (event === 'hello') hello(JSON.parse(data).version);
        if (event === 'changed') changed.value = { ...JSON.parse(data), at: Date.now() };
        if (event === 'proposed') proposals.value += 1;
      },
    });
    const text = body.pipeThrough(new TextDecoderStream()).getReader();
    for (alive(); ; alive()) {
      const { done, value } = await text.read();
      if (done) return;
      parser.feed(value);
    }
  } finally {
    clearTimeout(watchdog);
  }
}

/** Wait, but not longer than until the network or the person is back. */
function pause(/** @type {number} */ ms) {
  return new Promise((resolve) => {
    const stop = new AbortController();
    const end = () => {
      stop.abort();
      clearTimeout(timer);
      resolve(undefined);
    };
    const timer = setTimeout(end, ms);
    addEventListener('online', end, { signal: stop.signal });
    document.addEventListener('visibilitychange', () => document.hidden || end(), { signal: stop.signal });
  });
}

/**
 * Return a function that collects names and runs `work` with them (none if any note may have changed), one run after
 * the other. Between two runs is a pause of three times as long as the first one took.
 * @param {(names: string[]) => Promise<void>} work
 */
export function throttled(work) {
  let waiting = /** @type {Set<string> | null} */ (null);
  let running = false;
  return async function run(/** @type {string[] | null} */ names) {
    waiting = new Set([...(waiting ?? []), ...(names ?? [])]);
    if (running) return;
    running = true;
    while (waiting) {
      const now = [...waiting];
      waiting = null;
      const began = performance.now();
      await work(now);
      await new Promise((over) => setTimeout(over, Math.max(100, 3 * (performance.now() - began))));
    }
    running = false;
  };
}
