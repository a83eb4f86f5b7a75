// What the page's own code takes from highlight.js: its common languages.
export { default as highlighter } from 'highlight.js/lib/common';
