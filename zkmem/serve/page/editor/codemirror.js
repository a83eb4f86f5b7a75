// CodeMirror, set up for Markdown and links. It keeps every character of the file.
import {
  Compartment,
  Decoration,
  EditorState,
  EditorView,
  HighlightStyle,
  Tag,
  ViewPlugin,
  autocompletion,
  completionKeymap,
  defaultKeymap,
  deleteMarkupBackward,
  drawSelection,
  dropCursor,
  ensureSyntaxTree,
  highlightSelectionMatches,
  highlightSpecialChars,
  history,
  historyKeymap,
  keymap,
  insertNewlineContinueMarkupCommand,
  markdown,
  markdownLanguage,
  search,
  searchKeymap,
  syntaxHighlighting,
  syntaxTree,
  tags,
} from '../vendor/editor.js';
import { toggleMark } from './emphasis.js';
import { livePreview, actingKeys } from './livepreview.js';
import { followed, pasting } from './paste.js';
import { headingAt, headingKey } from '../note/places.js';
import { api } from '../server/api.js';

/**
 * @import { BlockContext, Completion, CompletionContext, InlineContext, KeyBinding } from '../vendor/editor.js'
 * @import { Line, MarkdownConfig, Range, ViewUpdate } from '../vendor/editor.js'
 * @import { Session } from './session.js'
 */

const OPEN_LINK = /\[\[([^[\]\n|#]*)$/; // the beginning of a link, up to a heading or a text
const [EXCLAMATION, OPENING, CLOSING, BAR, BACKSLASH, EQUALS] = [...'![]|\\='].map((one) => one.charCodeAt(0));
const ENDS = new Set([OPENING, CLOSING, 10, -1]); // the end of a line, and that of the text
const PARSED_MS = 500;
const LONGEST_TURNED = 5_000; // characters of a line; a browser takes seconds to find the direction of a very long one
const MOST_NAMES = 12; // what fits without scrolling; more letters find fewer names

/** The nonce that the server's policy allows styles with. */
const styleNonce = document.querySelector('meta[name="style-nonce"]')?.getAttribute('content') ?? '';

/** The keys that go on with a list or a quote, without a blank line between, as in Obsidian. */
const marks = [
  { key: 'Enter', run: insertNewlineContinueMarkupCommand({ nonTightLists: false }) },
  { key: 'Backspace', run: deleteMarkupBackward },
];

const wikiLink = Tag.define();

const STYLES = /** @type {const} */ ([
  [tags.heading, 'heading'],
  [tags.strong, 'strong'],
  [tags.emphasis, 'emphasis'],
  [tags.strikethrough, 'struck'],
  [tags.monospace, 'code'],
  [tags.link, 'link'],
  [tags.url, 'link'],
  [tags.quote, 'quote'],
  [tags.meta, 'properties'],
  [tags.processingInstruction, 'mark'],
  [tags.contentSeparator, 'mark'],
  [wikiLink, 'wikilink'],
  [tags.special(tags.content), 'highlight'],
]);
const highlight = HighlightStyle.define(STYLES.map(([tag, name]) => ({ tag, class: `md-${name}` })));

/**
 * The properties at the top, which plain Markdown would read as a line or a heading.
 * @type {MarkdownConfig}
 */
const properties = {
  defineNodes: [{ name: 'Properties', block: true, style: tags.meta }],
  parseBlock: [
    {
      name: 'Properties',
      before: 'HorizontalRule',
      parse(/** @type {BlockContext} */ context, /** @type {Line} */ line) {
        if (context.lineStart !== 0 || line.text.trimEnd() !== '---') return false;
        while (context.nextLine() && line.text.trimEnd() !== '---');
        context.nextLine();
        context.addElement(context.elt('Properties', 0, context.prevLineEnd()));
        return true;
      },
    },
  ],
};

const marked = { resolve: 'Highlight', mark: 'HighlightMark' };

/**
 * Text between `==`.
 * @type {MarkdownConfig}
 */
const highlights = {
  defineNodes: [
    { name: 'Highlight', style: { 'Highlight/...': tags.special(tags.content) } },
    { name: 'HighlightMark' },
  ],
  parseInline: [
    {
      name: 'Highlight',
      after: 'Emphasis',
      parse(/** @type {InlineContext} */ context, /** @type {number} */ next, /** @type {number} */ start) {
        if (next !== EQUALS || context.char(start + 1) !== EQUALS || context.char(start + 2) === EQUALS) return -1;
        const [before, after] = [context.slice(start - 1, start), context.slice(start + 2, start + 3)];
        return context.addDelimiter(marked, start, start + 2, /\S/.test(after), /\S/.test(before));
      },
    },
  ],
};

/**
 * Links between notes: `[[name]]`, `[[name|text]]`, and the same with a `!` before it. They end in their line.
 * @type {MarkdownConfig}
 */
const links = {
  defineNodes: [
    { name: 'WikiLink', style: { 'WikiLink/...': wikiLink } },
    { name: 'WikiEmbed', style: { 'WikiEmbed/...': wikiLink } },
    { name: 'WikiLinkMark' },
    { name: 'WikiTarget' },
  ],
  parseInline: [
    {
      name: 'WikiLink',
      before: 'Link',
      parse(/** @type {InlineContext} */ context, /** @type {number} */ next, /** @type {number} */ start) {
        const isEmbed = next === EXCLAMATION;
        const open = isEmbed ? start + 1 : start;
        if (context.char(open) !== OPENING || context.char(open + 1) !== OPENING) return -1;
        let [at, bar] = [open + 2, 0];
        for (; !ENDS.has(context.char(at)); at += 1) if (!bar && context.char(at) === BAR) bar = at;
        if (at === open + 2 || context.char(at) !== CLOSING || context.char(at + 1) !== CLOSING) return -1;
        const end = bar ? bar - Number(context.char(bar - 1) === BACKSLASH) : at; // of the target; a table has `\\|`
        const mark = (/** @type {number} */ from, /** @type {number} */ to) => context.elt('WikiLinkMark', from, to);
        const text = bar ? [mark(end, bar + 1)] : [];
        const parts = [mark(start, open + 2), context.elt('WikiTarget', open + 2, end), ...text, mark(at, at + 2)];
        return context.addElement(context.elt(isEmbed ? 'WikiEmbed' : 'WikiLink', start, at + 2, parts));
      },
    },
  ],
};

/** Each line has the direction of its first letter, as in the note. */
const AUTO = Decoration.line({ attributes: { dir: 'auto' } });
const directions = ViewPlugin.define(
  (view) => ({
    lines: linesShown(view),
    update(/** @type {ViewUpdate} */ update) {
      if (update.docChanged || update.viewportChanged) this.lines = linesShown(update.view);
    },
  }),
  { decorations: (plugin) => plugin.lines },
);

function linesShown(/** @type {EditorView} */ { state: { doc }, visibleRanges }) {
  const lines = /** @type {Range<Decoration>[]} */ ([]);
  for (const { from, to } of visibleRanges) {
    for (let at = from; at <= to;) {
      const line = doc.lineAt(at);
      if (line.length <= LONGEST_TURNED) lines.push(AUTO.range(line.from));
      at = line.to + 1;
    }
  }
  return Decoration.set(lines, true);
}

/**
 * Return the extensions of every view of Markdown. Only `\n` ends a line: any other character stays in its line.
 * @param {string} label
 */
export function basics(label) {
  return [
    EditorState.lineSeparator.of('\n'),
    EditorView.clipboardInputFilter.of((text) => text.replace(/\r\n?/g, '\n')),
    EditorView.cspNonce.of(styleNonce),
    EditorView.contentAttributes.of({
      'aria-label': label,
      tabindex: '0',
      spellcheck: 'true',
      autocorrect: 'on',
      autocapitalize: 'on',
    }),
    EditorView.lineWrapping,
    EditorView.perLineTextDirection.of(true),
    directions,
    highlightSpecialChars(),
    drawSelection(),
    markdown({
      base: markdownLanguage,
      addKeymap: false,
      completeHTMLTags: false,
      extensions: [properties, highlights, links],
    }),
    syntaxHighlighting(highlight),
    keymap.of([...marks, ...defaultKeymap]),
  ];
}

/**
 * Return a key of the list of names. Escape belongs to the list only while it is shown, not while names are looked for.
 * @param {KeyBinding} binding
 * @returns {KeyBinding}
 */
function forShownList(binding) {
  if (binding.key !== 'Escape') return binding;
  return {
    key: 'Escape',
    run(view) {
      const isShown = view.dom.querySelector('.cm-tooltip-autocomplete') !== null;
      binding.run?.(view);
      return isShown;
    },
  };
}

/**
 * Return the further extensions of a view that can be typed into. Tab moves on, as everywhere on the page.
 * @param {{ onChange: () => void, onSave: () => void }} calls
 */
export function writing({ onChange, onSave }) {
  const save = { key: 'Mod-s', preventDefault: true, run: () => (onSave(), true) };
  const bold = { key: 'Mod-b', preventDefault: true, run: toggleMark('**') };
  const italic = { key: 'Mod-i', preventDefault: true, run: toggleMark('*') };
  return [
    keymap.of([save, bold, italic, ...completionKeymap.map(forShownList), ...searchKeymap, ...historyKeymap]),
    history(),
    dropCursor(),
    search({ top: true }),
    highlightSelectionMatches(),
    autocompletion({ override: [completeLink], icons: false, activateOnTypingDelay: 60 }),
    EditorView.updateListener.of((update) => {
      if (update.docChanged) onChange();
    }),
  ];
}

/**
 * Create an editor in `parent`; returns `{ view, read, write }`. The person can undo a text that is written.
 * `session` gets the files that are put into the text. `line` is the number of the line that is at the upper edge at
 * first. `isSource`: whether all marks are shown, as in the file.
 * @param {{ parent: Element, text: string, label: string, onChange: () => void, onSave: () => void,
 *   session: Session, line: number, isSource: boolean }} options
 */
export function createEditor({ parent, text, label, onChange, onSave, session, line, isSource }) {
  const preview = new Compartment();
  const shown = (/** @type {boolean} */ asSource) => (asSource ? [] : livePreview);
  const state = EditorState.create({
    doc: text,
    extensions: [
      preview.of(shown(isSource)),
      actingKeys,
      pasting(session),
      followed,
      writing({ onChange, onSave }),
      basics(label),
    ],
  });
  const { from } = state.doc.line(Math.min(line + 1, state.doc.lines));
  const view = new EditorView({
    parent,
    state: state.update({ selection: { anchor: from } }).state,
    scrollTo: from ? EditorView.scrollIntoView(from, { y: 'start', yMargin: 0 }) : undefined,
  });
  return {
    view,
    read: () => view.state.doc.toString(),
    write: (/** @type {string} */ next) => rewrite(view, next),
    showSource: (/** @type {boolean} */ wanted) => view.dispatch({ effects: preview.reconfigure(shown(wanted)) }),
    /** Put the cursor at the heading that a subpath names. */
    goTo(/** @type {string} */ subpath) {
      const place = headingAt(headingsOf(view.state), subpath);
      if (!place) return;
      view.dispatch({
        selection: { anchor: place.from },
        effects: EditorView.scrollIntoView(place.from, { y: 'start', yMargin: 0 }),
      });
      view.focus();
    },
    /** Return the number of the line at the upper edge; null if it is the one that was there at first. */
    movedTo() {
      const { scrollTop, scrollHeight, clientHeight } = view.scrollDOM;
      const top = view.state.doc.lineAt(view.lineBlockAtHeight(scrollTop).from).number - 1;
      const isAtEnd = scrollTop + clientHeight > scrollHeight - 2; // the last lines cannot be at the upper edge
      return top === line || (isAtEnd && top < line) ? null : top;
    },
  };
}

/** Return the headings of a text, as far as it can be parsed at once. */
function headingsOf(/** @type {EditorState} */ state) {
  const headings = /** @type {{ level: number, key: string, from: number }[]} */ ([]);
  (ensureSyntaxTree(state, state.doc.length, PARSED_MS) ?? syntaxTree(state)).iterate({
    enter({ name, from }) {
      const level = Number(/^(?:ATX|Setext)Heading(\d)$/.exec(name)?.[1] ?? 0);
      if (level) headings.push({ level, key: headingKey(state.doc.lineAt(from).text), from });
    },
  });
  return headings;
}

/** Replace only what differs, so that the cursor stays where it is. */
function rewrite(/** @type {EditorView} */ view, /** @type {string} */ next) {
  const old = view.state.doc.toString();
  const most = Math.min(old.length, next.length);
  let from = 0;
  while (from < most && old[from] === next[from]) from += 1;
  let same = 0;
  while (same < most - from && old[old.length - 1 - same] === next[next.length - 1 - same]) same += 1;
  view.dispatch({ changes: { from, to: old.length - same, insert: next.slice(from, next.length - same) } });
}

/** A completion source of CodeMirror; the server finds the names. */
async function completeLink(/** @type {CompletionContext} */ context) {
  const match = context.matchBefore(OPEN_LINK);
  if (!match) return null;
  const from = match.from + 2;
  const stop = new AbortController();
  context.addEventListener('abort', () => stop.abort());
  const typed = context.state.sliceDoc(from, context.pos);
  const response = await api.names(typed, MOST_NAMES, stop.signal).catch(() => null);
  if (!response || context.aborted) return null; // a missing list is not worth a message while one types
  return { from, filter: false, options: response.names.map((name) => ({ label: name, apply: insert })) };
}

/**
 * Insert the name and close the link, unless it is closed already.
 * @param {EditorView} view
 * @param {Completion} completion
 * @param {number} from
 * @param {number} to
 */
function insert(view, { label }, from, to) {
  const closed = view.state.sliceDoc(to, to + 2) === ']]';
  view.dispatch({
    changes: { from, to, insert: closed ? label : `${label}]]` },
    selection: { anchor: from + label.length + 2 },
    userEvent: 'input.complete',
  });
}
