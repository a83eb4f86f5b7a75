// Files of the vault in a note: images, sound, video, and what a click opens in a tab or saves. They are fetched with
// the token, which an address cannot carry.
import { api } from '../server/api.js';
import { isolated } from '../common/bidi.js';
import { parted } from '../common/names.js';
import { showError } from '../common/toasts.js';

// A file of another type could run as a script of this page if a tab showed it, so it is saved instead.
/** @type {Record<string, string>} */
const SAFE = {
  pdf: 'application/pdf',
  txt: 'text/plain;charset=utf-8',
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  avif: 'image/avif',
  bmp: 'image/bmp',
  mp3: 'audio/mpeg',
  wav: 'audio/wav',
  m4a: 'audio/mp4',
  ogg: 'audio/ogg',
  flac: 'audio/flac',
  '3gp': 'audio/3gpp',
  mp4: 'video/mp4',
  webm: 'video/webm',
  ogv: 'video/ogg',
  mov: 'video/quicktime',
  mkv: 'video/x-matroska',
};

const ending = (/** @type {string} */ path) => path.slice(path.lastIndexOf('.') + 1).toLowerCase();
const PAGE = /^#page=\d+/; // of a PDF
const KEPT_MS = 60_000; // until the tab or the download has the file
const MOST_ELEMENTS = 20_000; // of an SVG

/**
 * Fetch the images of a note, and put players in the place of sound and video. Return a function that frees them.
 * @param {Element} body
 */
export function fillFiles(body) {
  /** @type {string[]} */
  const urls = [];
  const state = { gone: false };
  for (const image of /** @type {NodeListOf<HTMLImageElement>} */ (body.querySelectorAll('img[data-file]'))) {
    fetchInto(image, image.dataset.file ?? '', image.alt, urls, state);
  }
  for (const link of /** @type {NodeListOf<HTMLAnchorElement>} */ (body.querySelectorAll('a.media[data-file]'))) {
    const file = link.dataset.file ?? '';
    const type = SAFE[ending(file)] ?? '';
    const player = playerOf(type, file);
    if (!player) continue;
    link.before(player);
    fetchInto(player, file, file, urls, state, type);
  }
  return () => {
    state.gone = true;
    urls.forEach(URL.revokeObjectURL);
  };
}

/** Return an element that plays a file of this type, or null. A PDF has none: its own script could ask for secrets. */
function playerOf(/** @type {string} */ type, /** @type {string} */ file) {
  const kind = type.split('/')[0];
  if (kind !== 'audio' && kind !== 'video') return null;
  const player = document.createElement(kind);
  player.controls = true;
  player.setAttribute('aria-label', file);
  return player;
}

/**
 * @param {HTMLImageElement | HTMLMediaElement} element
 * @param {string} file
 * @param {string} text
 * @param {string[]} urls
 * @param {{ gone: boolean }} state
 */
function fetchInto(element, file, text, urls, state, type = '') {
  api
    .blob(file)
    .then(checked)
    .then(
      (blob) => {
        if (state.gone) return;
        const url = URL.createObjectURL(type ? new Blob([blob], { type }) : blob);
        element.src = url;
        urls.push(url);
      },
      (error) => {
        const failure = document.createElement('span');
        Object.assign(failure, { className: 'no-image', textContent: `${isolated(text || file)}: ${error.message}` });
        element.replaceWith(failure);
      },
    );
}

/** Return a file that can be shown. */
async function checked(/** @type {Blob} */ blob) {
  if (blob.type.startsWith('image/svg') && !isSmall(await blob.text())) throw new Error('this picture is too complex.');
  return blob;
}

/** Open a file of the vault in a tab if that is safe, else save it. The subpath may name a page of a PDF. */
export async function openFile(/** @type {string} */ path, subpath = '') {
  const type = SAFE[ending(path)];
  const tab = type ? open('', '_blank') : null; // at once: later, the browser would take it for a pop-up
  try {
    const blob = await api.blob(path);
    const url = URL.createObjectURL(new Blob([blob], { type: type ?? 'application/octet-stream' }));
    setTimeout(() => URL.revokeObjectURL(url), KEPT_MS);
    if (tab) tab.location.replace(url + (PAGE.exec(subpath)?.[0] ?? ''));
    else Object.assign(document.createElement('a'), { href: url, download: parted(path).last }).click();
  } catch (error) {
    tab?.close();
    showError(error);
  }
}

/**
 * Return whether an SVG is small enough to be drawn. Each `<use>` counts as what it shows: a few that show one another
 * can stand for millions of elements.
 */
function isSmall(/** @type {string} */ source) {
  const { documentElement } = new DOMParser().parseFromString(source, 'image/svg+xml'); // it draws and runs nothing
  const sizes = /** @type {Map<Element, number>} */ (new Map());
  const size = (/** @type {Element} */ element) => {
    const known = sizes.get(element);
    if (known !== undefined) return known;
    sizes.set(element, 1); // a `<use>` inside itself shows nothing
    let total = 1;
    const shown = element.localName === 'use' ? targetOf(element) : null;
    for (const one of shown ? [...element.children, shown] : element.children) total += size(one);
    sizes.set(element, total);
    return total;
  };
  return size(documentElement) <= MOST_ELEMENTS;
}

/** Return the element that a `<use>` shows, in the same file. */
function targetOf(/** @type {Element} */ use) {
  const address = use.getAttribute('href') ?? use.getAttributeNS('http://www.w3.org/1999/xlink', 'href') ?? '';
  return address.startsWith('#') ? use.ownerDocument.getElementById(address.slice(1)) : null;
}
