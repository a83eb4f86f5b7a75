// A sentence of the server, in which the number of each edit is a link to that edit.
import { html } from '../vendor/ui.js';
import { directionless } from './bidi.js';
import { editHash } from '../navigation.js';

// Proposed edits have numbers of their own. Other words with a number name an edit only before a bracket: "undo 12 (".
const NUMBERED = /(?<!(?:no|proposed) )(\bedit \d{1,9}\b|\b(?:change|undo|redo) \d{1,9}(?= \())/i;

/** @param {{ text: string }} props */
export const Sentence = ({ text }) =>
  html`${directionless(text)
    .split(NUMBERED)
    .map((part, at) => (at % 2 ? html`<a key=${at} href=${editHash(part.replace(/\D/g, ''))}>${part}</a>` : part))}`;
