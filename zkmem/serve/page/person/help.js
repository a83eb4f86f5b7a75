// The help: all keys of the page, and the filters of the search.
import { html } from '../vendor/ui.js';
import { useModal } from '../common/modal.js';
import { helpShown } from '../state.js';

/** @type {[string, [string, string][]][]} */
const HELP = [
  [
    'Anywhere',
    [
      ['Ctrl K', 'Open a note, heading or tag, or run a command'],
      ['/', 'Search'],
      ['n', 'New note'],
      ['e', 'Edit the open note'],
      ['↑ ↓ Enter', 'Choose in a list'],
      ['Esc', 'Close what is open'],
      ['?', 'This help'],
    ],
  ],
  [
    'In the editor',
    [
      ['Ctrl S', 'Save'],
      ['Ctrl B, Ctrl I', 'Bold, italic'],
      ['Ctrl Enter', 'Tick the task in the line of the cursor'],
      ['Alt Enter, Ctrl click', 'Open the link at the cursor'],
      ['Ctrl E', 'Show all marks, as in the file, or only those in the line of the cursor'],
      ['Ctrl F', 'Find in the note'],
      ['Ctrl Shift V', 'Paste as plain text'],
      ['Esc', 'Finish editing; asks about unsaved text'],
    ],
  ],
  [
    'In the review',
    [
      ['j, k', 'Next line, previous line'],
      ['Enter', 'Open the line, or close it'],
      ['x', 'Mark the note as seen, or not'],
      ['u', 'Undo what was done to the note'],
      ['s', 'Mark all as seen'],
    ],
  ],
  [
    'In the search',
    [
      ['"some words"', 'these words in this order'],
      ['-word', 'without the word'],
      ['tag:recipe', 'with the tag, or one below it'],
      ['path:projects/', 'with this in the path'],
      ['[status:done]', 'with the property'],
      ['after:2026-11', 'of this date or later; also before:'],
      ['on:yesterday', 'of this date; also today, last-week …'],
    ],
  ],
  [
    'In the map',
    [
      ['g', 'Open the map, or close it'],
      ['+ − 0', 'Zoom in, zoom out, show all'],
      ['← → ↑ ↓', 'Move the picture'],
      ['Space', 'Pause a replay, or go on'],
    ],
  ],
];

/** Return the keys of a row, which commas part. */
const kbds = (/** @type {string} */ keys) => keys.split(', ').map((key, at) => html`${at > 0 && ' '}<kbd>${key}</kbd>`);

const ON_A_MAC = /Mac|iPhone|iPad/.test(navigator.platform);

export function Help() {
  const dialog = useModal(helpShown.value);
  return html`<dialog ref=${dialog} class="help" aria-labelledby="help-title"
    onClose=${() => (helpShown.value = false)}>
    <h2 id="help-title">Keys and search filters</h2>
    <div class="help-parts">
      ${HELP.map(
        ([title, rows]) => html`<section>
        <h3>${title}</h3>
        <dl class="keys">${rows.map(([key, what]) => html`<div><dt>${kbds(key)}</dt><dd>${what}</dd></div>`)}</dl>
      </section>`,
      )}
    </div>
    ${ON_A_MAC && html`<p class="quiet">On a Mac, press ⌘ instead of Ctrl.</p>`}
    <p>A circle is a note. It is larger if more notes lead to it, and hollow if the note is linked to but not written
      yet. Click a circle to open the note, drag it to move it; the wheel zooms.</p>
    <p><a href="vendor/LICENSES.txt" target="_blank" rel="noopener">Licences of the software in this page</a></p>
    <div class="actions"><button type="button" class="primary" data-first
      onClick=${() => dialog.current.close()}>Close</button></div>
  </dialog>`;
}
