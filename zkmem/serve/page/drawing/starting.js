// The frame in which Mermaid draws (diagram.html). It has no origin, so it reaches nothing of this page, and browsers
// that give such a frame a process of its own can end it while it is busy.
import { asker, ready } from './helper.js';

/**
 * A diagram, or why there is none.
 * @typedef {{ svg?: string, width?: number, height?: number, failure?: string }} Drawn
 * @typedef {{ source: string, isDark: boolean }} Wanted
 */

const SLOWEST_MS = 5_000; // of one diagram
const SCRIPTS = ['vendor/diagram.js', 'drawing/frame.js'];

/** @type {(wanted: Wanted, signal: AbortSignal) => Promise<Drawn | null>} */
export const drawInFrame = asker(started, SLOWEST_MS);

/** Start the frame with the scripts that it cannot load itself. */
async function started() {
  const element = document.createElement('iframe');
  element.sandbox.add('allow-scripts');
  Object.assign(element, { src: 'diagram.html', title: 'Drawing', className: 'drawing', tabIndex: -1 });
  element.setAttribute('aria-hidden', 'true');
  const end = () => element.remove();
  const loaded = new Promise((resolve) => element.addEventListener('load', resolve, { once: true }));
  document.body.append(element);
  try {
    const [scripts] = await Promise.all([Promise.all(SCRIPTS.map(textOf)), loaded]);
    const { port1: port, port2 } = new MessageChannel();
    const begun = ready(port);
    element.contentWindow?.postMessage(scripts, '*', [port2]); // it has no origin to name
    await begun;
    return { port, end };
  } catch (error) {
    end();
    throw error;
  }
}

async function textOf(/** @type {string} */ path) {
  const response = await fetch(path);
  if (!response.ok) throw new Error(`the server does not send ${path}.`);
  return response.text();
}
