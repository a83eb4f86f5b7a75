// The types of editor.js, for tsc: those of the packages that are bundled in it.
export * from './entries/editor.js';
export type { Completion, CompletionContext } from '@codemirror/autocomplete';
export type { ChangeSpec, Extension, Range, SelectionRange, Text } from '@codemirror/state';
export type { SyntaxNode, SyntaxNodeRef } from '@lezer/common';
export type { KeyBinding, ViewUpdate } from '@codemirror/view';
export type { BlockContext, InlineContext, Line, MarkdownConfig } from '@lezer/markdown';
