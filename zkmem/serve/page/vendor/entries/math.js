// What the page's own code takes from KaTeX.
export { render } from 'katex';
