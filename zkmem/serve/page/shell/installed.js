// Registers the service worker, where the browser allows one: with HTTPS, or on this machine. The page works without
// it.

addEventListener('load', () => {
  navigator.serviceWorker?.register('serviceworker.js').catch(() => {}); // the person may have forbidden it
});
