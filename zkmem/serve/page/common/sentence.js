// A sentence of the server, in which the number of each edit and the notes that it proposes are links.
import { html } from '../vendor/ui.js';
import { directionless } from './bidi.js';
import { editHash, noteHash } from '../navigation.js';

// Proposed edits have numbers of their own. Other words with a number name an edit only before a bracket: "undo 12 (".
const NUMBERED = /(?<!(?:no|proposed) )(\bedit \d{1,9}\b|\b(?:change|undo|redo) \d{1,9}(?= \())/i;
const BRACKETED = /\[\[([^[\]]+)\]\]/; // a note in the advice of a search

/**
 * Return the parts of a sentence, each with the address that it leads to. `names`: the notes that it proposes.
 * @returns {{ text: string, href?: string }[]}
 */
export function partsOf(/** @type {string} */ sentence, /** @type {string[]} */ names = []) {
  const longestFirst = names
    .toSorted((one, other) => other.length - one.length)
    .map((name) => name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  const named = longestFirst.length
    ? new RegExp(`(?<=[:,] )(${longestFirst.join('|')})(?=, |\\.(?: |$)| and )`)
    : BRACKETED;
  return directionless(sentence)
    .split(NUMBERED)
    .flatMap((text, at) =>
      at % 2
        ? [{ text, href: editHash(text.replace(/\D/g, '')) }]
        : text.split(named).map((part, place) => (place % 2 ? { text: part, href: noteHash(part) } : { text: part })),
    )
    .filter(({ text }) => text);
}

/** @param {{ text: string, names?: string[] }} props */
export const Sentence = ({ text, names }) =>
  partsOf(text, names).map((part, at) =>
    part.href ? html`<a key=${at} href=${part.href}>${part.text}</a>` : part.text,
  );
