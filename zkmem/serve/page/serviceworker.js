// The service worker: if the server does not answer, it shows a page that says so. It keeps the files of that page
// alone, never a note, an answer of the API or a script of the page. Each version of the page starts another one, so
// that nothing is out of date after an upgrade.

/** @type {any} */
const worker = self;
const CACHE = `zkmem-offline:${worker.registration.scope}`; // several vaults may have one origin
const PAGE = 'offline.html';
const FILES = [PAGE, 'offline.css', 'offline.js', 'icon.svg'];
const NO_SERVER = [502, 503, 504]; // what a proxy answers in its place
const addressOf = (/** @type {string} */ file) => new URL(file, worker.registration.scope).href;

worker.addEventListener('install', (/** @type {any} */ event) => {
  event.waitUntil(keep().then(() => worker.skipWaiting()));
});

worker.addEventListener('activate', (/** @type {any} */ event) => event.waitUntil(worker.clients.claim()));

worker.addEventListener('fetch', (/** @type {any} */ event) => {
  const { request } = event;
  const address = request.url.replace(/[?#].*$/, '');
  if (request.method !== 'GET') return;
  if (request.mode === 'navigate' && ['.', 'index.html'].map(addressOf).includes(address))
    event.respondWith(opened(event));
  else if (FILES.map(addressOf).includes(address)) event.respondWith(fetched(request, address));
});

/** Keep the files as the server has them now. */
async function keep() {
  const cache = await caches.open(CACHE);
  await cache.addAll(FILES.map((file) => new Request(addressOf(file), { cache: 'no-cache' })));
}

/** Return a file of that page as the server has it or, if the server does not answer, as it is kept. */
async function fetched(/** @type {Request} */ request, /** @type {string} */ address) {
  const response = await fetch(request).catch(() => null);
  return response && !NO_SERVER.includes(response.status) ? response : kept(address);
}

/** Return a file that is kept. */
async function kept(/** @type {string} */ address) {
  const cache = await caches.open(CACHE);
  return (await cache.match(address)) ?? Response.error();
}

/** Return the page or, if the server does not answer, the one that says so. */
async function opened(/** @type {any} */ event) {
  try {
    const response = await fetch(event.request);
    return NO_SERVER.includes(response.status) ? kept(addressOf(PAGE)) : response;
  } catch {
    return kept(addressOf(PAGE));
  }
}
