// The server's events about changed notes. They are read as a stream, as EventSource cannot send the token.
import { createParser } from './vendor/stream.js';
import { request, tokenGiven } from './api.js';
import { changed, connection } from './state.js';

const SILENCE_MS = 40_000; // the server says something every 15 s
const LONGEST_MS = 30_000;

/** Follow the events for ever; `onHello()` is called at each connection: something may have been missed before it. */
export async function follow(onHello) {
  let wait = 1000;
  for (;;) {
    const hello = () => {
      wait = 1000;
      connection.value = 'live';
      onHello();
    };
    const failed = await listen(hello).catch((error) => error);
    connection.value = 'off';
    if (failed?.status === 401)
      await tokenGiven(); // the person has turned the question away: it is not put again
    else await pause(wait * (0.75 + Math.random() / 2));
    wait = Math.min(2 * wait, LONGEST_MS);
  }
}

async function listen(hello) {
  const stop = new AbortController();
  let watchdog;
  const alive = () => {
    clearTimeout(watchdog);
    watchdog = setTimeout(() => stop.abort(), SILENCE_MS);
  };
  try {
    const response = await request('events', { headers: { Accept: 'text/event-stream' }, signal: stop.signal });
    const parser = createParser({
      onEvent({ event, data }) {
        if (event === 'hello') hello();
        if (event === 'changed') tell(JSON.parse(data));
      },
    });
    const text = response.body.pipeThrough(new TextDecoderStream()).getReader();
    for (alive(); ; alive()) {
      const { done, value } = await text.read();
      if (done) return;
      parser.feed(value);
    }
  } finally {
    clearTimeout(watchdog);
  }
}

const tell = ({ names, by }) => (changed.value = { names, by, at: Date.now() });

/** Wait, but not longer than until the network or the person is back. */
function pause(ms) {
  return new Promise((over) => {
    const stop = new AbortController();
    const end = () => {
      stop.abort();
      clearTimeout(timer);
      over(undefined);
    };
    const timer = setTimeout(end, ms);
    addEventListener('online', end, { signal: stop.signal });
    document.addEventListener('visibilitychange', () => document.hidden || end(), { signal: stop.signal });
  });
}

/**
 * Return a function that collects names and runs `work` with them (null: any note may have changed), one run after the
 * other; between two runs is a pause of three times as long as the first one took.
 */
export function paced(work) {
  let waiting = null;
  let running = false;
  return async function run(names) {
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
