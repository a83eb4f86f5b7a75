// What the page's own code takes from CodeMirror 6.
export { EditorSelection, EditorState } from '@codemirror/state';
export {
  Decoration,
  EditorView,
  MatchDecorator,
  ViewPlugin,
  drawSelection,
  dropCursor,
  highlightSpecialChars,
  keymap,
} from '@codemirror/view';
export { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
export { autocompletion, completionKeymap } from '@codemirror/autocomplete';
export { highlightSelectionMatches, openSearchPanel, search, searchKeymap } from '@codemirror/search';
export { HighlightStyle, syntaxHighlighting, syntaxTree } from '@codemirror/language';
export { markdown, markdownKeymap, markdownLanguage } from '@codemirror/lang-markdown';
export { MergeView, getChunks, goToNextChunk, goToPreviousChunk, unifiedMergeView } from '@codemirror/merge';
export { tags } from '@lezer/highlight';
