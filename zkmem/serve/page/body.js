// The text of a note as the server has rendered and cleaned it. The only place where HTML is put into the page.
import { html, useLayoutEffect, useEffect, useRef } from './vendor/ui.js';
import { api } from './api.js';

let wanted = null; // the heading that a link named, of the note that is opened by it

/** `source` is HTML that the server made; links in it open by their address. */
export function Body({ name, source }) {
  const place = useRef(null);
  useLayoutEffect(() => {
    const restore = held(place.current);
    place.current.innerHTML = source;
    restore();
  }, [source]);
  useEffect(() => {
    if (wanted?.name === name) find(place.current, wanted.subpath)?.scrollIntoView();
    wanted = null;
    return fillImages(place.current);
  }, [source]);
  return html`<div class="body" ref=${place} onClick=${(event) => follow(event, name, place.current)}></div>`;
}

/** Note the focus and which expansions are folded; returns a function that restores them in a newer text. */
function held(place) {
  const said = (element) => element.textContent;
  const links = () => [...place.querySelectorAll('a, summary')];
  const title = (details) => said(details.querySelector('summary'));
  const at = links().indexOf(document.activeElement);
  const focused = at < 0 ? null : said(document.activeElement);
  const folded = new Set([...place.querySelectorAll('details:not([open])')].map(title));
  return () => {
    for (const one of place.querySelectorAll('details')) if (folded.has(title(one))) one.open = false;
    if (focused === null) return;
    const same = links()[at] ?? null;
    const found = same && said(same) === focused ? same : (links().find((one) => said(one) === focused) ?? same);
    found?.focus({ preventScroll: true });
  };
}

function follow(event, here, place) {
  if (event.ctrlKey || event.metaKey || event.shiftKey) return; // another tab or window
  const link = event.target.closest('a[data-note]');
  const subpath = link?.dataset.subpath;
  if (!subpath) return;
  const { note } = link.dataset;
  if (note && note !== here) {
    wanted = { name: note, subpath };
    return;
  }
  event.preventDefault();
  find(place, subpath)?.scrollIntoView({ block: 'start' });
}

/** The heading that a link like `note#Part#Heading` names. */
function find(place, subpath) {
  const last = subpath.split('#').pop().trim().toLowerCase();
  return [...place.querySelectorAll('h1, h2, h3, h4, h5, h6')].find(
    (one) => one.textContent.trim().toLowerCase() === last,
  );
}

/** Fetch the images with the token, which an address cannot carry; returns a function that frees them. */
function fillImages(place) {
  const urls = [];
  let gone = false;
  for (const image of place.querySelectorAll('img[data-file]')) {
    api.blob(image.dataset.file).then(
      (blob) => {
        if (gone) return;
        urls.push(URL.createObjectURL(blob));
        image.src = urls.at(-1);
      },
      (error) => {
        const text = document.createElement('span');
        Object.assign(text, {
          className: 'no-image',
          textContent: `${image.alt || image.dataset.file}: ${error.message}`,
        });
        image.replaceWith(text);
      },
    );
  }
  return () => {
    gone = true;
    urls.forEach(URL.revokeObjectURL);
  };
}
