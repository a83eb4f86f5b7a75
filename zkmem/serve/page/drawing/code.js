// The colours of code, by highlight.js in a worker: for some code, its rules take very long.
import { asker, ready } from './helper.js';
import { fileOf } from '../place.js';

const SLOWEST_MS = 2_000; // of one block

/** @type {(code: { source: string, language: string }, signal: AbortSignal) => Promise<{ html: string } | null>} */
const colour = asker(async () => {
  const worker = new Worker(fileOf('drawing/codeworker.js'), { type: 'module' });
  await ready(worker);
  return { port: worker, end: () => worker.terminate() };
}, SLOWEST_MS);

/** Colour code in languages that are known. After a block that takes too long, the others of a text stay plain. */
export async function colourCode(/** @type {HTMLElement[]} */ blocks, /** @type {AbortSignal} */ signal) {
  for (const block of blocks) {
    const language = block.className.replace('language-', '');
    const coloured = await colour({ source: block.textContent ?? '', language }, signal);
    if (!coloured || signal.aborted) return;
    if (coloured.html) block.innerHTML = coloured.html; // the escaped code with spans around it
  }
}
