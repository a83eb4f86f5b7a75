// The script of the frame that draws diagrams. It gets the source of one and a port, and answers with an SVG.
import { mermaid } from './vendor/diagram.js';

const LONGEST = 5_000; // characters
const MOST_EDGES = 100;

addEventListener('message', async ({ source, origin, data, ports: [port] }) => {
  if (source !== parent || origin !== location.origin || !port) return;
  const { number } = data;
  try {
    port.postMessage({ number, ...(await drawn(data)) });
  } catch {
    port.postMessage({ number });
  }
});
parent.postMessage('ready', location.origin);

/** @param {{ number: number, source: string, isDark: boolean }} wanted */
async function drawn({ number, source, isDark }) {
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
  const { svg } = await mermaid.render(`diagram-${number}`, source);
  const element = new DOMParser().parseFromString(svg, 'text/html').querySelector('svg');
  if (!element) throw new Error('no picture');
  const { width, height } = element.viewBox.baseVal;
  element.setAttribute('width', String(width));
  element.setAttribute('height', String(height));
  return { svg: new XMLSerializer().serializeToString(element), width, height };
}
