// Markdown from HTML of other programs, as far as notes can have it. It is loaded when somebody pastes HTML.
import { TurndownService, gfm } from '../vendor/turndown.js';

const LIGHT = /font-weight:\s*(?:normal|[1-4]00)\b/;

const service = new TurndownService({
  headingStyle: 'atx',
  hr: '---',
  bulletListMarker: '-',
  codeBlockStyle: 'fenced',
  emDelimiter: '*',
});
service.use(gfm);
service.remove(['script', 'style', 'meta', 'title', 'link', 'noscript']);
// Google Docs puts all that it copies into a <b> that is not bold
service.addRule('not bold', {
  filter: (node) => /^(?:B|STRONG)$/.test(node.nodeName) && LIGHT.test(node.dataset.style ?? ''),
  replacement: (content) => content,
});
service.addRule('item', {
  filter: (node) => node.nodeName === 'LI',
  replacement: (content, node) => {
    const list = node.parentElement;
    const at = list ? [...list.children].indexOf(node) : 0;
    const mark = list?.nodeName === 'OL' ? `${Number(list.getAttribute('start') ?? 1) + at}. ` : '- ';
    const text = content.trim().replace(/\n(?=.)/g, `\n${' '.repeat(mark.length)}`);
    return `${mark}${text}${node.nextElementSibling ? '\n' : ''}`;
  },
});
// The bytes of a picture are no text for a note, and an address of another scheme leads nowhere
service.addRule('pictures in place', {
  filter: (node) => node.nodeName === 'IMG' && !/^https?:/i.test(node.getAttribute('src') ?? ''),
  replacement: (_, node) => node.getAttribute('alt') ?? '',
});
service.addRule('links that lead nowhere', {
  filter: (node) => node.nodeName === 'A' && !/^(?:https?|mailto):/i.test(node.getAttribute('href') ?? ''),
  replacement: (content) => content,
});

/** Return the Markdown for the contents of an element. */
export const fromHtml = (/** @type {HTMLElement} */ body) =>
  service
    .turndown(body)
    .replace(/\u00a0/g, ' ')
    .trim();
