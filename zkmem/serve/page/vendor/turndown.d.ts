// The types of turndown.js, for tsc: its packages come without types.
type Rule = { filter: (node: HTMLElement) => boolean; replacement: (content: string, node: HTMLElement) => string };

export class TurndownService {
  constructor(options?: Record<string, string>);
  use(plugin: (service: TurndownService) => void): this;
  remove(names: string[]): this;
  addRule(name: string, rule: Rule): this;
  turndown(html: HTMLElement): string;
}

export const gfm: (service: TurndownService) => void;
