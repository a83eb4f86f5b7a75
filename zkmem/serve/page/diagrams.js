// Diagrams, drawn by Mermaid in a frame of their own (diagram.html) and shown as images, in which nothing can act.
import { effect } from './vendor/ui.js';
import { failed } from './drawn.js';
import { themeChanges } from './state.js';

/** @typedef {{ number: number, svg?: string, width?: number, height?: number }} Drawn */

const WAIT_MS = 30_000;

/** Draw diagrams, and again when the theme changes. One with an error stays as it is written. */
export function drawDiagrams(/** @type {HTMLElement[]} */ blocks, /** @type {AbortSignal} */ signal) {
  const sources = blocks.map((block) => ({ pre: block.closest('pre') ?? block, source: block.textContent ?? '' }));
  /** @type {Element[]} */
  const shown = sources.map(({ pre }) => pre);
  const drawAll = async (/** @type {boolean} */ isDark) => {
    for (const [number, { source }] of sources.entries()) {
      if (signal.aborted) return;
      const drawn = await inFrame({ number, source, isDark }); // one after the other
      if (signal.aborted) return;
      if (drawn.svg) shown[number] = replaced(shown[number], imageOf(drawn, source));
      else if (!shown[number].matches('.failed')) {
        shown[number].classList.add('failed');
        failed(shown[number], 'diagram');
      }
    }
  };
  let isDark = /** @type {boolean | null} */ (null);
  const stop = effect(() => {
    themeChanges.value;
    const now = getComputedStyle(document.documentElement).colorScheme === 'dark';
    if (now !== isDark) drawAll((isDark = now));
  });
  signal.addEventListener('abort', stop);
}

function replaced(/** @type {Element} */ old, /** @type {Element} */ element) {
  old.replaceWith(element);
  return element;
}

function imageOf(/** @type {Drawn} */ { svg = '', width = 0, height = 0 }, /** @type {string} */ source) {
  const image = new Image(width, height);
  image.className = 'diagram';
  image.alt = `Diagram: ${source.trim().slice(0, 500)}`;
  image.src = URL.createObjectURL(new Blob([svg], { type: 'image/svg+xml' }));
  image.onload = image.onerror = () => URL.revokeObjectURL(image.src);
  return image;
}

let frame = /** @type {Promise<HTMLIFrameElement> | null} */ (null);

/** Return the frame that draws, when it is ready. */
function drawingFrame() {
  frame ??= new Promise((resolve) => {
    const element = document.createElement('iframe');
    Object.assign(element, { src: 'diagram.html', title: 'Drawing', className: 'drawing', tabIndex: -1 });
    element.setAttribute('aria-hidden', 'true');
    addEventListener('message', function ready(event) {
      if (event.source !== element.contentWindow || event.data !== 'ready') return;
      removeEventListener('message', ready);
      resolve(element);
    });
    document.body.append(element);
  });
  return frame;
}

/**
 * Draw one diagram. Return it without an `svg` if it has an error.
 * @param {{ number: number, source: string, isDark: boolean }} wanted
 * @returns {Promise<Drawn>}
 */
async function inFrame(wanted) {
  const { contentWindow } = await drawingFrame();
  return new Promise((resolve) => {
    const channel = new MessageChannel();
    const end = (/** @type {Drawn} */ drawn) => (channel.port1.close(), resolve(drawn));
    setTimeout(end, WAIT_MS, { number: wanted.number });
    channel.port1.onmessage = ({ data }) => end(data);
    contentWindow?.postMessage(wanted, location.origin, [channel.port2]);
  });
}
