// Keeps the rest of the page when a part of it fails.
import { html, useErrorBoundary } from '../vendor/ui.js';

/**
 * Show a part of the page, or a line in its place if it fails. The error goes to the console.
 * @param {{ children?: unknown }} props
 */
export function Boundary({ children }) {
  const [error, again] = useErrorBoundary((/** @type {unknown} */ failure) => reportError(failure));
  if (!error) return children;
  return html`<p class="trouble">This part could not be shown. <button type="button" onClick=${again}>Try
    again</button></p>`;
}
