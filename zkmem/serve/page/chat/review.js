// The review in a chat: what was done to the notes, to be kept or undone; what is proposed, to be accepted or dropped.
import { html, render, useLayoutEffect, useRef, useState } from '../vendor/ui.js';
import '../common/bidi.js';
import { agoText, timeText } from '../common/when.js';
import { nameOf } from '../common/who.js';
import { callTool, connect, shownIn, tellModel, textOf } from './host.js';
import { safeNodes } from './safe.js';
import { isDestroying, keyOf, whyNoUndo } from '../review/brief.js';
import { sizeOf, withLabels } from './words.js';

/**
 * @import { Line } from '../review/brief.js'
 * @import { ProposedSet, Review } from './words.js'
 * @typedef {{ notes?: { name: string, passages: { number: number | null, under: string, html: string }[], left: number,
 *   trouble: string, warnings: string[] }[] }} Shown
 * @typedef {{ text: string, key: string, act: string, given: object, notes?: Shown['notes'] }} Question asked before
 *   an undo or a drop, below the line with this key
 */

/** @type {string[]} */
const decided = []; // what the person has done here, in words, for the model
const MOST_TOLD = 20;
const FIRST = 12; // lines that are shown at first

const root = /** @type {HTMLElement} */ (document.querySelector('main'));

/** @param {{ first: Review }} props */
function View({ first }) {
  const [review, setReview] = useState(first);
  const [opened, setOpened] = useState(''); // the key of the line whose change is shown
  const [question, setQuestion] = useState(/** @type {Question | null} */ (null));
  const [status, setStatus] = useState({ text: '', isError: false });
  const [isBusy, setBusy] = useState(false);
  const [isWhole, setWhole] = useState(false);
  const focus = useRef(-1); // the place of the line that gets the focus when the review has changed
  const { lines, proposed, can_edit: canEdit, ticket } = review;

  useLayoutEffect(() => {
    const rows = [...root.querySelectorAll('.row')];
    const row = rows[Math.min(focus.current, rows.length - 1)] ?? root.querySelector('h1');
    if (focus.current >= 0 && row instanceof HTMLElement) row.focus();
    focus.current = -1;
  }, [review]);

  /** @param {() => Promise<void>} act */
  const whileBusy = async (act) => {
    setBusy(true);
    setStatus({ text: '', isError: false });
    await act().catch((error) => setStatus({ text: error.message, isError: true }));
    setBusy(false);
  };
  /**
   * @param {string} action
   * @param {object} given
   */
  const decide = (action, given) =>
    whileBusy(async () => {
      const at = [...root.querySelectorAll('.row')].indexOf(/** @type {Element} */ (place()));
      const next = await callTool('review_decide', { ticket, action, ...given });
      decided.push(next.done);
      tellModel(`In the review of their memory, the user decided: ${decided.slice(-MOST_TOLD).join('. ')}.`);
      focus.current = Math.max(0, at);
      setQuestion(null);
      setReview({ ...next, ticket });
      setStatus({ text: next.done, isError: false });
    });
  /**
   * @param {string} key
   * @param {object} given what is to be undone
   * @param {string} text
   */
  const askUndo = (key, given, text) =>
    whileBusy(async () => {
      const { notes } = await callTool('review_change', { ticket, ...given, undo: true });
      setQuestion({ key, text, act: 'undo', given, notes });
    });
  const listed = isWhole ? lines : lines.slice(0, FIRST);
  const shared = { ticket, canEdit, isBusy, opened, setOpened, question, setQuestion, decide, askUndo };
  return html`<header>
      <h1 tabindex="-1">${review.sentence}</h1>
      ${
        lines.length > 0 &&
        html`<button type="button" disabled=${isBusy} onClick=${() => decide('keep all', { edit: review.last })}
          >Keep all</button>`
      }
    </header>
    ${review.remark && html`<p class="quiet">${review.remark}</p>`}
    <p role=${status.isError ? 'alert' : 'status'} class=${status.isError ? 'error' : 'quiet'}>${status.text}</p>
    <ul class="lines" aria-label="What happened to each note">${listed.map(
      (line) => html`<${Row} key=${keyOf(line)} line=${line} ...${shared} />`,
    )}</ul>
    ${
      listed.length < lines.length &&
      html`<button type="button" onClick=${() => setWhole(true)}>Show all ${lines.length} notes</button>`
    }
    ${
      review.total > review.shown &&
      html`<p class="quiet">${review.total - review.shown} more notes: keep these first, or open zkmem's page.</p>`
    }
    ${proposed.map((set) => html`<${Proposed} key=${set.client} set=${set} ...${shared} />`)}`;
}

/** Return the row that the focus is in. */
const place = () => document.activeElement?.closest('li')?.querySelector('.row') ?? null;

/**
 * @typedef {{ ticket: string, canEdit: boolean, isBusy: boolean, opened: string, setOpened: (key: string) => void,
 *   question: Question | null, setQuestion: (question: Question | null) => void,
 *   decide: (action: string, given: object) => void,
 *   askUndo: (key: string, given: object, text: string) => void }} Shared
 */

/** @param {Shared & { line: Line }} props */
function Row({ line, ...shared }) {
  const { canEdit, isBusy, opened, setOpened, decide, askUndo } = shared;
  const { note, kind, words, edit, first, began, ended, version, outside } = line;
  const key = keyOf(line);
  const given = { note, edit, first };
  const may = canEdit && !whyNoUndo(outside);
  return html`<li>
    <div class="head">
      <button type="button" class="row" aria-expanded=${opened === key}
        onClick=${() => setOpened(opened === key ? '' : key)}>
        <b>${note}</b> <span class=${isDestroying(kind) ? 'words destroyed' : 'words'}>${words}</span>
        <span class="quiet">${sizeOf(line)}<span title=${version}>${nameOf(line)}</span> · <time
          title=${`${timeText(began)} – ${timeText(ended)}`}>${agoText(ended, Date.now() / 1000)}</time></span>
      </button>
      <span class="buttons">
        <button type="button" disabled=${isBusy} aria-label=${`Keep: ${note}`}
          onClick=${() => decide('keep', given)}>Keep</button>
        ${
          may &&
          html`<button type="button" disabled=${isBusy} aria-label=${`Undo: ${note}`}
            onClick=${() => askUndo(key, given, `Undo what was done to ${note}?`)}>Undo…</button>`
        }
      </span>
    </div>
    <${Asked} id=${key} ...${shared} />
    ${
      opened === key &&
      html`<${Changed} ask=${{ ...given, ticket: shared.ticket }} onUndo=${
        may && kind !== 'deleted'
          ? (/** @type {number} */ passage) => askUndo(key, { ...given, passage }, `Undo this passage of ${note}?`)
          : undefined
      } />`
    }
  </li>`;
}

/** What would change, and the button that does it. @param {Shared & { id: string }} props */
function Asked({ id, question, setQuestion, isBusy, decide }) {
  const yes = useRef(/** @type {HTMLButtonElement | null} */ (null));
  const isAsked = question?.key === id;
  useLayoutEffect(() => yes.current?.focus(), [isAsked && question]);
  if (!question || !isAsked) return null;
  const { text, act, given, notes } = question;
  return html`<div class="asked" role="group" aria-label=${text}
    onKeyDown=${(/** @type {KeyboardEvent} */ { key }) => key === 'Escape' && setQuestion(null)}>
    <p>${text}</p>
    ${notes && html`<${Notes} notes=${notes} label="What the undo changes" />`}
    <span class="buttons">
      <button type="button" class="danger" ref=${yes} disabled=${isBusy} onClick=${() => decide(act, given)}>${
        act === 'undo' ? 'Undo' : 'Drop'
      }</button>
      <button type="button" onClick=${() => setQuestion(null)}>Cancel</button>
    </span>
  </div>`;
}

/** @param {Shared & { set: ProposedSet }} props */
function Proposed({ set, ...shared }) {
  const { canEdit, isBusy, opened, setOpened, setQuestion, decide } = shared;
  const { client, name, total, ended, edits } = set;
  /**
   * @param {string} key
   * @param {object} given
   * @param {string} what
   */
  const both = (key, given, what) =>
    canEdit &&
    html`<span class="buttons">
      <button type="button" disabled=${isBusy} aria-label=${`Accept ${what}`}
        onClick=${() => decide('accept', given)}>Accept</button>
      <button type="button" disabled=${isBusy} aria-label=${`Drop ${what}`}
        onClick=${() => setQuestion({ key, text: `Drop ${what} for good?`, act: 'drop', given })}>Drop…</button>
    </span>`;
  return html`<section aria-label=${`Proposed by ${name}`}>
    <div class="head"><h2>${name} proposes ${total === 1 ? '1 edit' : `${total} edits`}</h2>
      ${total > 1 && both(client, { client, seen: ended }, `all edits of ${name}`)}</div>
    <${Asked} id=${client} ...${shared} />
    <ul class="lines">${withLabels(edits).map(({ edit, title, label }) => {
      const key = `${client} ${edit}`;
      return html`<li key=${key}>
        <div class="head">
          <button type="button" class="row" aria-expanded=${opened === key}
            onClick=${() => setOpened(opened === key ? '' : key)}><span>${title}</span></button>
          ${both(key, { client, edit, seen: ended }, label)}
        </div>
        <${Asked} id=${key} ...${shared} />
        ${opened === key && html`<${Changed} ask=${{ client, edit, ticket: shared.ticket }} />`}
      </li>`;
    })}</ul>
  </section>`;
}

/** @param {{ ask: object, onUndo?: (passage: number) => void }} props */
function Changed({ ask, onUndo }) {
  const [shown, setShown] = useState(/** @type {Shown | null} */ (null));
  const [trouble, setTrouble] = useState('');
  useLayoutEffect(() => {
    callTool('review_change', ask).then(setShown, (error) => setTrouble(error.message));
  }, []);
  if (trouble) return html`<p class="error" role="alert">${trouble}</p>`;
  if (!shown) return html`<p class="quiet" role="status">Loading…</p>`;
  return html`<${Notes} notes=${shown.notes} label="What changed" onUndo=${onUndo} />`;
}

/** @param {{ notes: Shown['notes'], label: string, onUndo?: (passage: number) => void }} props */
function Notes({ notes = [], label, onUndo }) {
  return html`<div class="changed" tabindex="0" role="group" aria-label=${label}>${notes.map(
    (note, at) => html`<div key=${at}>
      ${notes.length > 1 && html`<h3>${note.name}</h3>`}
      ${note.warnings.map((warning) => html`<p class="error">${warning}</p>`)}
      ${note.passages.map(
        ({ number, under, html: text }, index) => html`<div class="passage">
          ${under && under !== note.passages[index - 1]?.under && html`<p class="quiet">${under}</p>`}
          <${Text} html=${text} />
          ${
            onUndo &&
            number !== null &&
            at === 0 &&
            note.passages.length > 1 &&
            html`<button type="button" onClick=${() => onUndo(number)}>Undo this passage…</button>`
          }
        </div>`,
      )}
      ${note.left > 0 && html`<p class="quiet">and ${note.left} more passages</p>`}
      ${note.trouble && html`<p class="quiet">${note.trouble}</p>`}
    </div>`,
  )}</div>`;
}

/** @param {{ html: string }} props */
function Text({ html: text }) {
  const box = useRef(/** @type {HTMLDivElement | null} */ (null));
  useLayoutEffect(() => box.current?.replaceChildren(safeNodes(text)), [text]);
  return html`<div ref=${box}></div>`;
}

connect('review', (result) => {
  const shown = shownIn(result);
  root.removeAttribute('aria-busy');
  root.replaceChildren();
  if (shown) render(html`<${View} first=${shown} />`, root);
  else root.append(Object.assign(document.createElement('pre'), { textContent: textOf(result) }));
});
