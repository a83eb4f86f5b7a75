// The frame in which Mermaid draws (diagram.html). It has no origin, so it reaches nothing of this page, and browsers
// that give such a frame a process of its own can end it while it is busy.

/**
 * A diagram, or why there is none.
 * @typedef {{ svg?: string, width?: number, height?: number, failure?: string }} Drawn
 * @typedef {{ element: HTMLIFrameElement, port: MessagePort }} Frame
 */

export const TOO_SLOW = 'takes too long to draw';
const SLOWEST_MS = 5_000; // of one diagram
const SLOWEST_START_MS = 30_000; // Mermaid has 5 MB
const SCRIPTS = ['vendor/diagram.js', 'diagramframe.js'];

let frame = /** @type {Promise<Frame> | null} */ (null);
let last = /** @type {Promise<unknown>} */ (Promise.resolve());

/**
 * Draw a diagram, after those that were asked for earlier. The signal ends this, also while the frame is busy.
 * @param {{ source: string, isDark: boolean }} wanted
 * @param {AbortSignal} signal
 * @returns {Promise<Drawn>}
 */
export function drawInTurn(wanted, signal) {
  const drawn = last.then(() => (signal.aborted ? {} : inFrame(wanted, signal)));
  last = drawn.catch(() => null);
  return drawn;
}

/**
 * @param {{ source: string, isDark: boolean }} wanted
 * @param {AbortSignal} signal
 * @returns {Promise<Drawn>}
 */
async function inFrame(wanted, signal) {
  frame ??= started();
  const { element, port } = await frame.catch((error) => {
    frame = null; // the next diagram tries it again
    throw error;
  });
  if (signal.aborted) return {};
  return new Promise((resolve) => {
    const finish = (/** @type {Drawn} */ drawn) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
      resolve(drawn);
    };
    const stop = () => {
      element.remove();
      frame = null;
      finish({ failure: TOO_SLOW });
    };
    const timer = setTimeout(stop, SLOWEST_MS);
    signal.addEventListener('abort', stop);
    port.onmessage = ({ data }) => finish(data);
    port.postMessage(wanted);
  });
}

/** Start the frame with the scripts that it cannot load itself. */
async function started() {
  const element = document.createElement('iframe');
  element.sandbox.add('allow-scripts');
  Object.assign(element, { src: 'diagram.html', title: 'Drawing', className: 'drawing', tabIndex: -1 });
  element.setAttribute('aria-hidden', 'true');
  const loaded = new Promise((resolve) => element.addEventListener('load', resolve, { once: true }));
  document.body.append(element);
  try {
    const [scripts] = await Promise.all([Promise.all(SCRIPTS.map(textOf)), loaded]);
    const { port1: port, port2 } = new MessageChannel();
    const ready = new Promise((resolve, reject) => {
      port.onmessage = resolve;
      setTimeout(reject, SLOWEST_START_MS, new Error('the script for diagrams does not start.'));
    });
    element.contentWindow?.postMessage(scripts, '*', [port2]); // it has no origin to name
    await ready;
    return { element, port };
  } catch (error) {
    element.remove();
    throw error;
  }
}

async function textOf(/** @type {string} */ path) {
  const response = await fetch(path);
  if (!response.ok) throw new Error(`the server does not send ${path}.`);
  return response.text();
}
