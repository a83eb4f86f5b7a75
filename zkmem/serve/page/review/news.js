// What others did since the person last looked: a sentence, and a line for each note.
import { html, useEffect, useRef, useState } from '../vendor/ui.js';
import { api } from '../server/api.js';
import { hueOf } from '../common/hue.js';
import { ErrorMessage, Waiting, numberOf, useChanges, useLoad } from '../common/load.js';
import { replayHash, reviewHash } from '../navigation.js';
import { useAction } from '../common/preview.js';
import { UndoDialog } from '../shell/later.js';
import { now, unseen, vault } from '../state.js';
import { toast } from '../common/toasts.js';
import { nameOf } from '../common/who.js';
import { addressOf, countText, isDestroying, keyOf, leadOf, whyNoUndo } from './brief.js';
import { clientsToChoose, foldersToChoose } from './brief.js';
import { Lines } from './lines.js';

/** @import { Brief, Filter, Line } from './brief.js' */

const PART = 50; // lines
const MOST = 200; // lines of one answer

/**
 * What others did: the sentence, and the lines that a filter lets through; on Home, only the first `few`. If it is
 * quiet, nothing is said about nothing.
 * @param {{ filter?: Filter, few?: number, isQuiet?: boolean }} props
 */
export function News({ filter = {}, few, isQuiet = false }) {
  const [parts, setParts] = useState(1);
  const [opened, setOpened] = useState(/** @type {Set<string>} */ (new Set()));
  const head = useRef(/** @type {HTMLElement | null} */ (null));
  const key = JSON.stringify(filter);
  const { data: brief, error, again } = useLoad(() => loadParts(filter, few ?? PART, few ? 1 : parts), [key, parts]);
  useChanges(again);
  useEffect(() => {
    if (brief && !filter.sitting) unseen.value = brief.edits;
  }, [brief]);
  const seen = useAction(async () => {
    if (!brief?.lines.length) return;
    await markSeen(brief, filter);
    toast(`Marked as seen: ${numberOf(brief.total, 'note')}.`);
    head.current?.focus(); // the lines with the focus are gone
    again();
  });
  if (!brief) return error ? html`<${ErrorMessage} error=${error} again=${again} />` : html`<${Waiting} />`;
  if (isQuiet && !brief.edits) return null;
  const { lines, total, next } = brief;
  const isOpen = lines.length > 0 && lines.every((line) => opened.has(keyOf(line)));
  return html`<section class="news-section" aria-label="What happened">
    <header class="brief">
      <p class="sentence" ref=${head} tabindex="-1"><${Sentence} brief=${brief} filter=${filter} /></p>
      ${
        lines.length > 0 &&
        html`<div class="toolbar" role="toolbar" aria-label="All of it">
          ${
            lines.some((line) => !line.seen && !line.own && !line.undone) &&
            html`<button type="button" class="primary" aria-keyshortcuts="s" title="Mark as seen (s)"
              onClick=${seen.act} disabled=${seen.busy}>${
                Object.keys(filter).length ? 'Mark these as seen' : 'Mark all as seen'
              }</button>`
          }
          <button type="button" aria-expanded=${isOpen}
            onClick=${() => setOpened(new Set(isOpen ? [] : lines.map(keyOf)))}>${
              isOpen ? 'Close all' : 'Open all'
            }</button>
          ${filter.sitting && html`<${UndoAll} brief=${brief} />`}
          ${!few && html`<${Clients} brief=${brief} filter=${filter} /><${Folders} brief=${brief} filter=${filter} />`}
        </div>`
      }
      <${ErrorMessage} error=${seen.error ?? error} />
    </header>
    <${Lines} key=${key} lines=${lines} again=${again} onSeen=${seen.act} opened=${opened} setOpened=${setOpened} />
    ${
      few
        ? next && html`<p><a href=${reviewHash()}>All ${numberOf(total, 'note')}</a></p>`
        : next &&
          html`<button type="button" onClick=${() => setParts(parts + 1)}>Show ${numberOf(
            Math.min(PART, total - lines.length),
            'more note',
          )}</button>`
    }
  </section>`;
}

/** Load so many parts of the lines, as if they were one. */
async function loadParts(/** @type {Filter} */ filter, /** @type {number} */ size, /** @type {number} */ parts) {
  const whole = await api.brief(filter, 0, size);
  for (let part = 1; part < parts && whole.next; part += 1) {
    const { lines, next } = await api.brief(filter, whole.next, size);
    whole.lines.push(...lines);
    whole.next = next;
  }
  return whole;
}

/** Mark what a filter lets through as seen. */
async function markSeen(/** @type {Brief} */ { last }, /** @type {Filter} */ { sitting, ...filter }) {
  if (!Object.keys(filter).length)
    return api.markSeen(sitting ? { edit: Number(sitting) } : { edit: last, earlier: true });
  const lines = [];
  for (let from = /** @type {number | null} */ (0); from !== null;) {
    const part = await api.brief({ sitting, ...filter }, from, MOST);
    lines.push(...part.lines.filter(({ edit }) => edit <= last)); // not what the person has not been shown
    from = part.next;
  }
  while (lines.length) await api.viewed({ lines: lines.splice(0, MOST).map(addressOf), viewed: true });
}

/**
 * The sentence; each count leads to its lines.
 * @param {{ brief: Brief, filter: Filter }} props
 */
function Sentence({ brief, filter }) {
  const { kind, ...rest } = filter;
  if (!brief.edits && !filter.sitting) return 'Nothing new since you last looked.';
  return html`${leadOf(brief, now.value / 1000)}: ${brief.counts.map(
    (count, at) => html`${at > 0 && ' '}<span><a href=${reviewHash({ ...rest, kind: count.kind })}
      aria-current=${kind === count.kind ? 'true' : undefined}
      class=${isDestroying(count.kind) ? 'destroyed' : ''}>${countText(count, at === 0)}</a>${
        at < brief.counts.length - 1 ? ',' : '.'
      }</span>`,
  )}${brief.unread > 0 && ` Not compared, so perhaps overwritten: ${numberOf(brief.unread, 'note')}.`}${' '}${
    Object.keys(filter).length > 0 && html`<a href=${reviewHash()}>Show everything new</a>`
  }${brief.edits > 0 && html` <a href=${replayHash(filter.sitting ?? 'unseen')}>Replay on the map</a>`}`;
}

/**
 * A link for each client, if there are several, to its lines.
 * @param {{ brief: Brief, filter: Filter }} props
 */
function Clients({ brief: { clients }, filter }) {
  if (clients.length < 2) return null;
  return clientsToChoose(clients).map(
    ({ client, outside, version, notes, value }) => html`<a class="button" key=${value} title=${version}
      href=${reviewHash({ ...filter, client: value })} aria-current=${filter.client === value ? 'true' : undefined}
      style=${{ '--hue': hueOf(value) }}><i class="dot" aria-hidden="true"></i>${nameOf({ client, outside })} <span
      class="count">${notes}</span></a>`,
  );
}

/**
 * A link for each of the folders with the most notes, if there are several, to its lines.
 * @param {{ brief: Brief, filter: Filter }} props
 */
function Folders({ brief: { folders }, filter }) {
  if (folders.length < 2) return null;
  return foldersToChoose(folders, filter).map(
    ({ folder, notes }) => html`<a class="button" key=${folder} href=${reviewHash({ ...filter, folder })}
      aria-current=${filter.folder === folder ? 'true' : undefined}>${folder}/ <span class="count">${notes}</span></a>`,
  );
}

/** @param {{ brief: Brief }} props `brief`: that of a sitting */
function UndoAll({ brief }) {
  const [asking, setAsking] = useState(false);
  const { lines, clients, edits } = brief;
  const outside = clients[0]?.outside ?? '';
  const fixed = whyNoUndo(outside);
  if (!vault.value?.can_write || lines.every(({ undone }) => undone)) return null;
  if (fixed) return html`<span class="quiet">${fixed}</span>`;
  const about = `${numberOf(edits, outside ? 'change' : 'edit')} by ${nameOf(lines[0])}`;
  return html`<button type="button" class="danger" onClick=${() => setAsking(true)}>Undo all of this…</button>
    ${
      asking &&
      html`<${UndoDialog} which=${{ edit: lines[0].sitting, sitting: true }} about=${about} title="Undo all of this?"
        onClose=${() => setAsking(false)} />`
    }`;
}
