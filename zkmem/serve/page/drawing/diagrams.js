// Mermaid draws diagrams in a frame of its own (diagram.html). The page shows them as images, in which no script runs.
// The frame has no origin, so it cannot reach the page. Some browsers give such a frame a process of its own, and can
// end it while it is busy.
import { effect } from '../vendor/ui.js';
import { failed } from './drawn.js';
import { themeChanges } from '../state.js';
import { asker, ready } from './helper.js';
import { fileOf } from '../place.js';

/**
 * A diagram of a text: the element that shows it now, and whether it shall be drawn without a click.
 * @typedef {{ shown: Element, source: string, isWanted: boolean }} Diagram
 *
 * A request to the frame, and its answer: a picture, or the reason why there is none.
 * @typedef {{ source: string, isDark: boolean }} DrawRequest
 * @typedef {{ svg?: string, width?: number, height?: number, failure?: string }} Drawn
 */

const SLOWEST_MS = 5_000; // of one diagram
const TOO_SLOW = 'takes too long to draw';
const SCRIPTS = ['vendor/diagram.js', 'drawing/frame.js']; // of the frame

/** @type {(request: DrawRequest, signal: AbortSignal) => Promise<Drawn | null>} */
const drawInFrame = asker(started, SLOWEST_MS);

/**
 * Draw diagrams, and draw them again when the theme changes. The source of a diagram with an error stays. After a
 * diagram that takes too long, the others wait for a click. With `onDemand`, all wait for a click.
 * @param {HTMLElement[]} blocks
 * @param {AbortSignal} signal
 * @param {boolean} onDemand
 */
export function drawDiagrams(blocks, signal, onDemand) {
  const diagrams = blocks.map((block) => ({
    shown: block.closest('pre') ?? block,
    source: block.textContent ?? '',
    isWanted: !onDemand,
  }));
  const drawAll = async () => {
    for (const [number, diagram] of diagrams.entries()) {
      if (!diagram.isWanted) continue;
      if ((await drawOne(diagram, signal)) === TOO_SLOW) wait(diagrams.slice(number + 1));
      if (signal.aborted) return;
    }
  };
  const wait = (/** @type {Diagram[]} */ waiting) => {
    for (const diagram of waiting) {
      diagram.isWanted = false;
      if (diagram.shown.matches('pre')) offer(diagram, signal);
    }
  };
  if (onDemand) wait(diagrams);
  let isDark = /** @type {boolean | null} */ (null);
  const stop = effect(() => {
    themeChanges.value;
    const now = isDarkNow();
    if (now !== isDark) drawAll();
    isDark = now;
  });
  signal.addEventListener('abort', stop);
}

const isDarkNow = () => getComputedStyle(document.documentElement).colorScheme === 'dark';

/** Replace the source of a diagram by its picture. If it cannot be drawn, return the reason. */
async function drawOne(/** @type {Diagram} */ diagram, /** @type {AbortSignal} */ signal) {
  const { source } = diagram;
  const drawn = await drawInFrame({ source, isDark: isDarkNow() }, signal);
  const { svg, width, height, failure } = drawn ?? { failure: TOO_SLOW };
  if (signal.aborted) return failure;
  if (svg) {
    const image = imageOf(svg, Number(width), Number(height), source);
    diagram.shown.replaceWith(image);
    diagram.shown = image;
  } else if (!diagram.shown.matches('.failed')) {
    diagram.shown.classList.add('failed');
    failed(diagram.shown, 'diagram', failure);
  }
  return failure;
}

/** Put a button that draws the diagram above its source, where the pointer stays in a preview that becomes smaller. */
function offer(/** @type {Diagram} */ diagram, /** @type {AbortSignal} */ signal) {
  const button = document.createElement('button');
  Object.assign(button, { type: 'button', className: 'draw', textContent: 'Draw this diagram' });
  if (diagram.shown.closest('.hover-card')) button.tabIndex = -1; // the keyboard goes on in the page
  button.onclick = async () => {
    diagram.isWanted = true;
    button.remove();
    await drawOne(diagram, signal);
  };
  diagram.shown.before(button);
}

function imageOf(
  /** @type {string} */ svg,
  /** @type {number} */ width,
  /** @type {number} */ height,
  /** @type {string} */ source,
) {
  const image = new Image(width, height);
  image.className = 'diagram';
  image.alt = `Diagram: ${source.trim().slice(0, 500)}`;
  image.src = URL.createObjectURL(new Blob([svg], { type: 'image/svg+xml' }));
  image.onload = image.onerror = () => URL.revokeObjectURL(image.src);
  return image;
}

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
  const response = await fetch(fileOf(path));
  if (!response.ok) throw new Error(`the server does not send ${path}.`);
  return response.text();
}
