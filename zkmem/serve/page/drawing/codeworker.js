// Colours code by highlight.js, in a thread of its own.
import { highlighter } from '../vendor/code.js';

self.addEventListener('message', (/** @type {MessageEvent<{ source: string, language: string }>} */ { data }) => {
  const { source, language } = data;
  const isKnown = highlighter.getLanguage(language);
  self.postMessage({ html: isKnown ? highlighter.highlight(source, { language, ignoreIllegals: true }).value : '' });
});
self.postMessage('ready');
