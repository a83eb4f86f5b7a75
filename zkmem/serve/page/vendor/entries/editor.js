// What the page's own code takes from CodeMirror 6.
export { Compartment, EditorSelection, EditorState, Prec } from '@codemirror/state';
export {
  Decoration,
  EditorView,
  ViewPlugin,
  WidgetType,
  drawSelection,
  dropCursor,
  highlightSpecialChars,
  keymap,
} from '@codemirror/view';
export { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
export { autocompletion, completionKeymap } from '@codemirror/autocomplete';
export { highlightSelectionMatches, openSearchPanel, search, searchKeymap } from '@codemirror/search';
export { HighlightStyle, ensureSyntaxTree, syntaxHighlighting, syntaxTree } from '@codemirror/language';
export {
  deleteMarkupBackward,
  insertNewlineContinueMarkupCommand,
  markdown,
  markdownLanguage,
} from '@codemirror/lang-markdown';
export { MergeView, getChunks, goToNextChunk, goToPreviousChunk, unifiedMergeView } from '@codemirror/merge';
export { Tag, tags } from '@lezer/highlight';
