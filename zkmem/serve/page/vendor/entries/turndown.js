// What the page's own code takes from Turndown, which makes Markdown from HTML.
export { gfm } from '@joplin/turndown-plugin-gfm';
export { default as TurndownService } from 'turndown';
