// Live preview: the marks of Markdown are hidden but in the lines of the cursor, and tasks have a box to tick. It only
// decorates what is on the screen; the text stays as it is.
import { Decoration, EditorView, Prec, ViewPlugin, WidgetType, keymap, syntaxTree } from '../vendor/editor.js';
import { decoded, go, noteHash } from '../navigation.js';
import { route } from '../state.js';

/**
 * @import { EditorState, Range, SyntaxNode, SyntaxNodeRef, ViewUpdate } from '../vendor/editor.js'
 */

const HIDDEN = Decoration.replace({});
const DEEPEST = 40; // quotes in lists in quotes; what is deeper stays as it is written
const EMBED = 'WikiEmbed'; // it stays as it is written: what it shows is not here
const HEADING = /^(?:ATX|Setext)Heading(\d)$/;
/** Marks that stand alone, each in one of these. */
const MARKS = new Set(['EmphasisMark', 'StrikethroughMark', 'HighlightMark', 'WikiLinkMark']);
/** @type {Record<string, string>} */
const LINES = {
  FencedCode: 'md-block',
  CodeBlock: 'md-block',
  Properties: 'md-block',
  Table: 'md-table',
  Blockquote: 'md-quoted',
};

class Bullet extends WidgetType {
  eq() {
    return true;
  }

  toDOM() {
    return Object.assign(document.createElement('span'), { className: 'md-bullet', textContent: '•' });
  }
}

/** The box of a task. */
class Box extends WidgetType {
  constructor(/** @type {boolean} */ isDone, /** @type {string} */ label) {
    super();
    this.isDone = isDone;
    this.label = label;
  }

  eq(/** @type {Box} */ other) {
    return other.isDone === this.isDone && other.label === this.label;
  }

  toDOM(/** @type {EditorView} */ view) {
    const box = document.createElement('input');
    Object.assign(box, { type: 'checkbox', checked: this.isDone, className: 'md-box', tabIndex: -1 });
    box.setAttribute('aria-label', this.label);
    box.addEventListener('mousedown', (event) => event.preventDefault()); // the cursor stays where it is
    box.addEventListener('click', (event) => {
      event.preventDefault();
      tick(view, view.posAtDOM(box));
    });
    return box;
  }
}

/** Tick the task in the line of a position, or take the tick away. Return whether there is one. */
function tick(/** @type {EditorView} */ view, /** @type {number} */ position) {
  const { from, to } = view.state.doc.lineAt(position);
  let isTask = false;
  syntaxTree(view.state).iterate({
    from,
    to,
    enter: ({ name, from: at }) => {
      if (name !== 'TaskMarker' || at < from || isTask) return;
      isTask = true;
      const insert = view.state.sliceDoc(at + 1, at + 2) === ' ' ? 'x' : ' ';
      view.dispatch({ changes: { from: at + 1, to: at + 2, insert }, userEvent: 'input' });
    },
  });
  return isTask;
}

/** Return the decorations of what is on the screen. */
function decorations(/** @type {EditorView} */ { state, visibleRanges }) {
  const isShown = cursorLines(state);
  const found = /** @type {Range<Decoration>[]} */ ([]);
  const add = (/** @type {number} */ from, /** @type {number} */ to, decoration = HIDDEN) => {
    // a decoration cannot replace the end of a line
    if (from < to && !isShown(from) && state.doc.lineAt(from).to >= to) found.push(decoration.range(from, to));
  };
  for (const { from, to } of visibleRanges) {
    const above = ['']; // the names of the nodes around the one that is entered
    syntaxTree(state).iterate({
      from,
      to,
      enter(node) {
        if (above.length > DEEPEST) return false;
        decorate(node, above[above.length - 1], state, { from, to }, add, found);
        above.push(node.name);
        return true;
      },
      leave: () => void above.pop(),
    });
  }
  return Decoration.set(found, true);
}

/**
 * Add the decorations of a part of the text.
 * @param {SyntaxNodeRef} node
 * @param {string} parent
 * @param {EditorState} state
 * @param {{ from: number, to: number }} visible
 * @param {(from: number, to: number, decoration?: Decoration) => void} add
 * @param {Range<Decoration>[]} found
 */
function decorate(node, parent, state, visible, add, found) {
  const { name, from, to } = node;
  const level = HEADING.exec(name)?.[1];
  const style = level ? `md-h${level}` : parent === name ? '' : LINES[name]; // the outermost of nested quotes
  if (style) markLines(state, { from: Math.max(from, visible.from), to: Math.min(to, visible.to) }, style, found);
  if (MARKS.has(name) && parent !== EMBED) add(from, to);
  else if (name === 'WikiTarget' && parent !== EMBED && hasText(node)) add(from, to);
  else if (name === 'CodeMark' && parent === 'InlineCode') add(from, to);
  else if (name === 'HeaderMark' && parent.startsWith('ATX')) add(...withBlank(state, from, to));
  else if (name === 'QuoteMark') add(...withBlank(state, from, to));
  else if (name === 'Link') hideAddress(node, add);
  else if (name === 'ListMark' && parent === 'ListItem') {
    const start = state.doc.lineAt(from).from;
    if (start < from && !state.sliceDoc(start, from).trim()) found.push(INDENT.range(start, from));
    const isTask = node.node.nextSibling?.name === 'Task';
    if (isTask) add(...withBlank(state, from, to));
    else if (/^[-*+]$/.test(state.sliceDoc(from, to))) add(from, to, BULLET);
  } else if (name === 'TaskMarker') {
    const label = state.sliceDoc(to, Math.min(state.doc.lineAt(from).to, to + 100)).trim() || 'Task';
    add(from, to, Decoration.replace({ widget: new Box(state.sliceDoc(from + 1, from + 2) !== ' ', label) }));
  }
}

const INDENT = Decoration.mark({ class: 'md-indent' });
const BULLET = Decoration.replace({ widget: new Bullet() });

/** Return whether a link has a text beside its target, so that there is a mark between them. */
const hasText = (/** @type {SyntaxNodeRef} */ { node }) => node.parent?.getChildren('WikiLinkMark').length === 3;

/** Hide all of `[text](address)` but its text; a link without an address here is left as it is. */
function hideAddress(/** @type {SyntaxNodeRef} */ { node, to }, /** @type {(from: number, to: number) => void} */ add) {
  const [first, last] = node.getChildren('LinkMark');
  if (!node.getChild('URL') || !last) return;
  add(first.from, first.to);
  add(last.from, to);
}

/**
 * Return a mark with the blank that follows it.
 * @param {EditorState} state
 * @param {number} from
 * @param {number} to
 * @returns {[number, number]}
 */
const withBlank = (state, from, to) => [from, state.sliceDoc(to, to + 1) === ' ' ? to + 1 : to];

/** Give the lines of a range a style. */
function markLines(
  /** @type {EditorState} */ { doc },
  /** @type {{ from: number, to: number }} */ { from, to },
  /** @type {string} */ style,
  /** @type {Range<Decoration>[]} */ found,
) {
  for (let at = from; at <= to; at = doc.lineAt(at).to + 1) {
    found.push(Decoration.line({ class: style }).range(doc.lineAt(at).from));
  }
}

/** Return a function that says whether a position is in a line of the cursor, or of a selection. */
function cursorLines(/** @type {EditorState} */ { doc, selection }) {
  const lines = selection.ranges.map(({ from, to }) => ({ from: doc.lineAt(from).from, to: doc.lineAt(to).to }));
  return (/** @type {number} */ at) => lines.some(({ from, to }) => at >= from && at <= to);
}

const plugin = ViewPlugin.define(
  (view) => ({
    shown: decorations(view),
    isPressed: false, // while a button of the mouse is down, no mark appears: the text under it would move
    update(/** @type {ViewUpdate} */ update) {
      const isParsed = syntaxTree(update.startState) !== syntaxTree(update.state);
      const isOther = update.docChanged || update.viewportChanged || isParsed;
      if (isOther || !this.isPressed) this.shown = decorations(update.view);
    },
  }),
  {
    decorations: (one) => one.shown,
    eventObservers: {
      mousedown(_, view) {
        this.isPressed = true;
        const stop = new AbortController();
        const release = () => {
          stop.abort();
          this.isPressed = false;
          if (view.dom.isConnected) view.dispatch({});
        };
        for (const kind of ['mouseup', 'dragend', 'blur']) addEventListener(kind, release, { signal: stop.signal });
      },
    },
  },
);

/** The extensions of the live preview. */
export const livePreview = [plugin, EditorView.editorAttributes.of({ class: 'md-live' })];

/** Open what a link at a position leads to. Return whether there is a link. */
function follow(/** @type {EditorView} */ { state }, /** @type {number} */ position) {
  const textOf = (/** @type {SyntaxNode | null} */ node) => (node ? state.sliceDoc(node.from, node.to) : '');
  for (let node = /** @type {SyntaxNode | null} */ (syntaxTree(state).resolveInner(position, 1)); node;) {
    if (node.name === 'WikiLink' || node.name === EMBED) {
      const [target, ...subpath] = textOf(node.getChild('WikiTarget')).split('#');
      go(noteHash(target.trim() || (route.peek().name ?? ''), subpath.map((part) => `#${part}`).join('')));
      return true;
    }
    const address = node.name === 'URL' ? node : node.getChild('URL');
    if (address) {
      const written = textOf(address);
      if (/^https?:/i.test(written)) open(written, '_blank', 'noopener,noreferrer');
      else go(noteHash(decoded(written).replace(/\.md$/i, '')));
      return true;
    }
    node = node.parent;
  }
  return false;
}

/** `Ctrl Enter` ticks the task in the line of the cursor; `Alt Enter`, or a click with `Ctrl`, opens a link. */
export const actingKeys = [
  Prec.high(
    keymap.of([
      { key: 'Mod-Enter', run: (view) => tick(view, view.state.selection.main.head) },
      { key: 'Alt-Enter', run: (view) => follow(view, view.state.selection.main.head) },
    ]),
  ),
  EditorView.domEventHandlers({
    mousedown(event, view) {
      const at = event.ctrlKey || event.metaKey ? view.posAtCoords({ x: event.clientX, y: event.clientY }) : null;
      const isLink = event.button === 0 && at !== null && follow(view, at);
      if (isLink) event.preventDefault();
      return isLink;
    },
  }),
];
