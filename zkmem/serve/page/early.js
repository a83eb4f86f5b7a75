// Asks for what the first view shows while the large scripts of the page are on their way: this one is small, and waits
// for no other. `takeEarly` in server/api.js gives the answers to the page.
import { keptToken } from './person/kept.js';
import { asked } from './server/asked.js';

const token = keptToken();
const isHome = /^#?\/?$/.test(location.hash);
const mayAsk = token !== null || document.querySelector('meta[name="sign-in"]')?.getAttribute('content') === 'token';

if (mayAsk && !asked.isPageThere) {
  asked.token = token;
  const headers = { 'Zkmem-Client': 'page', ...(token && { Authorization: `Bearer ${token}` }) };
  const ask = (/** @type {string} */ url) => fetch(url, { headers, cache: 'no-store' }).catch(() => null);
  const ofHome = ['api/home?count=8', 'api/brief?from=0&count=8'];
  for (const url of ['api/vault', ...(isHome ? ofHome : [])]) asked.answers.set(url, ask(url));
}
if (!isHome) document.querySelector('link[rel="later"]')?.setAttribute('rel', 'modulepreload');
