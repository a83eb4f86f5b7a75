// The script of the frame that draws diagrams (diagram.html). It gets sources through a port, and answers each with an
// SVG, or with the reason why there is none.

/** @typedef {typeof import('../vendor/diagram.js').mermaid} Mermaid */

const LONGEST = 5_000; // characters
const MOST_EDGES = 100;
const LARGEST = 10_000; // pixels of a side
const LONGEST_SVG = 2_000_000; // characters

/** Draw what the port asks for, one diagram after the other. */
export function answer(/** @type {Mermaid} */ mermaid, /** @type {MessagePort} */ port) {
  let number = 0;
  port.onmessage = async ({ data }) => {
    number += 1;
    port.postMessage(await drawn(mermaid, `diagram-${number}`, data).catch(() => ({ failure: 'could not be drawn' })));
  };
  port.postMessage('ready');
}

/**
 * @param {Mermaid} mermaid
 * @param {string} id
 * @param {{ source: string, isDark: boolean }} wanted
 */
async function drawn(mermaid, id, { source, isDark }) {
  mermaid.initialize({
    startOnLoad: false,
    securityLevel: 'strict',
    theme: isDark ? 'dark' : 'default',
    htmlLabels: false, // an image shows no HTML
    flowchart: { htmlLabels: false },
    maxTextSize: LONGEST,
    maxEdges: MOST_EDGES,
    suppressErrorRendering: true,
  });
  document.body.replaceChildren();
  const { svg } = await mermaid.render(id, source);
  const element = new DOMParser().parseFromString(svg, 'text/html').querySelector('svg');
  if (!element) throw new Error('no picture');
  const { width, height } = element.viewBox.baseVal;
  element.setAttribute('width', String(width));
  element.setAttribute('height', String(height));
  const image = new XMLSerializer().serializeToString(element);
  const isLarge = width > LARGEST || height > LARGEST || image.length > LONGEST_SVG;
  return isLarge ? { failure: 'is too large' } : { svg: image, width, height };
}
