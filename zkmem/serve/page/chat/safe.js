// The HTML of notes in a view. The server has made it safe for the page; here it also may not lead anywhere.
const KEPT = new Set(['class', 'colspan', 'rowspan', 'start', 'type', 'checked', 'disabled']);
const DROPPED = 'script, style, link, meta, base, iframe, object, embed, form, svg, math, img, video, audio';

/** Return HTML as elements that load nothing, lead nowhere and run no script. Of a picture, its description stays. */
export function safeNodes(/** @type {string} */ html) {
  const { content } = Object.assign(document.createElement('template'), { innerHTML: html });
  for (const one of content.querySelectorAll(DROPPED)) one.replaceWith(one.getAttribute('alt') ?? '');
  for (const one of content.querySelectorAll('*')) {
    for (const name of one.getAttributeNames()) if (!KEPT.has(name)) one.removeAttribute(name);
    if (one instanceof HTMLInputElement) one.disabled = true;
  }
  return content;
}
