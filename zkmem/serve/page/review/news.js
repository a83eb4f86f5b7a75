// What others did since the person last looked: a sentence, and a line for each note.
import { html, useEffect, useRef, useState } from '../vendor/ui.js';
import { api } from '../server/api.js';
import { hueOf } from '../common/hue.js';
import { ErrorMessage, Waiting, formatNumber, numberOf, useChanges, useLoad } from '../common/load.js';
import { go, replayHash, reviewHash } from '../navigation.js';
import { useAction } from '../common/preview.js';
import { UndoDialog } from '../shell/later.js';
import { now, takenBack, unseen, vault } from '../state.js';
import { showError, toast } from '../common/toasts.js';
import { nameOf } from '../common/who.js';
import { addressOf, clientsToChoose, countText, isDestroying } from './brief.js';
import { keyOf, leadOf, seenText, whyNoUndo } from './brief.js';
import { Lines } from './lines.js';

/** @import { Brief, Filter, Line } from './brief.js' */

const PART = 50; // lines
const MOST = 200; // lines of one answer

/**
 * What others did: the sentence, and the lines that a filter lets through; on Home, only the first `few`. With
 * `isQuiet`, nothing is shown if nothing is new.
 * @param {{ filter?: Filter, few?: number, isQuiet?: boolean }} props
 */
export function News({ filter = {}, few, isQuiet = false }) {
  const [parts, setParts] = useState(1);
  const [opened, setOpened] = useState(/** @type {Set<string>} */ (new Set()));
  const head = useRef(/** @type {HTMLElement | null} */ (null));
  const key = JSON.stringify(filter);
  const load = () => loadParts(filter, few ?? PART, few ? 1 : parts);
  const { data: brief, error, again } = useLoad(load, [key, parts, takenBack.value]);
  useChanges(again);
  useEffect(() => {
    if (brief && !filter.sitting) unseen.value = brief.edits;
    else if (brief) countUnseen().catch(() => {}); // the number beside Review is worth no error here
  }, [brief]);
  const seen = useAction(async () => {
    if (!brief?.lines.length) return;
    const takeBack = await markSeen(brief, filter);
    const undo = async () => {
      await takeBack();
      await countUnseen();
      takenBack.value += 1;
    };
    const back = { title: 'Undo', act: () => undo().catch(showError) };
    toast(`Marked as seen: ${numberOf(brief.total, 'note')}.`, 'info', back);
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
            html`<button type="button" aria-keyshortcuts="s" title="Mark as seen (s)"
              onClick=${seen.act} disabled=${seen.busy}>${seenText(total, Object.keys(filter).length > 0)}</button>`
          }
          <button type="button" aria-expanded=${isOpen}
            onClick=${() => setOpened(new Set(isOpen ? [] : lines.map(keyOf)))}>${
              isOpen ? 'Close all' : 'Open all'
            }</button>
          ${filter.sitting && html`<${UndoAll} brief=${brief} />`}
          ${!few && html`<${Folders} brief=${brief} filter=${filter} /><${Clients} brief=${brief} filter=${filter} />`}
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

/** Load the first parts of the lines, and join them. */
async function loadParts(/** @type {Filter} */ filter, /** @type {number} */ size, /** @type {number} */ parts) {
  const whole = await api.brief(filter, 0, size);
  for (let part = 1; part < parts && whole.next; part += 1) {
    const { lines, next } = await api.brief(filter, whole.next, size);
    whole.lines.push(...lines);
    whole.next = next;
  }
  return whole;
}

/** Fetch how many edits the person has not seen, which the brief of a sitting does not say. */
async function countUnseen() {
  unseen.value = (await api.brief({}, 0, 1)).edits;
}

/** Mark what a filter lets through as seen. Return a function that takes this back. */
async function markSeen(/** @type {Brief} */ { last }, /** @type {Filter} */ { sitting, ...filter }) {
  if (!Object.keys(filter).length) {
    const { edits } = await api.markSeen(sitting ? { edit: Number(sitting) } : { edit: last, earlier: true });
    return async () => edits.length && api.markUnseen({ edits });
  }
  /** @type {Line[]} */
  const lines = [];
  for (let from = /** @type {number | null} */ (0); from !== null;) {
    const part = await api.brief({ sitting, ...filter }, from, MOST);
    lines.push(...part.lines.filter(({ edit }) => edit <= last)); // not what the person has not been shown
    from = part.next;
  }
  const places = lines.filter(({ viewed }) => !viewed).map(addressOf);
  await setViewed(places, true);
  return () => setViewed(places, false);
}

/** Tick lines, or untick them. */
async function setViewed(/** @type {ReturnType<typeof addressOf>[]} */ places, /** @type {boolean} */ viewed) {
  for (let from = 0; from < places.length; from += MOST)
    await api.viewed({ lines: places.slice(from, from + MOST), viewed });
}

/**
 * The sentence, in which each count is a link to its lines.
 * @param {{ brief: Brief, filter: Filter }} props
 */
function Sentence({ brief, filter }) {
  const { kind, ...rest } = filter;
  const isFiltered = Object.keys(filter).length > 0;
  if (!brief.edits && !filter.sitting) return 'Nothing new since you last looked.';
  return html`${leadOf(brief, now.value / 1000)}: ${brief.counts.map(
    (count, at) => html`${at > 0 && ' '}<span><a href=${reviewHash({ ...rest, kind: count.kind })}
      aria-current=${kind === count.kind ? 'true' : undefined}
      class=${isDestroying(count.kind) ? 'destroyed' : ''}>${countText(count, at === 0)}</a>${
        at < brief.counts.length - 1 ? ',' : '.'
      }</span>`,
  )}${brief.unread > 0 && ` Not compared, so perhaps overwritten: ${numberOf(brief.unread, 'note')}.`}${' '}${
    isFiltered && html`<a href=${reviewHash()}>Show everything new</a>`
  }${isFiltered && brief.edits > 0 && ' · '}${
    brief.edits > 0 && html`<a href=${replayHash(filter.sitting ?? 'unseen')}>Replay on the map</a>`
  }`;
}

/**
 * Links to the lines of each client, if there are several.
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
 * A choice of the folders, if there are several. The folder with the most notes comes first.
 * @param {{ brief: Brief, filter: Filter }} props
 */
function Folders({ brief: { folders }, filter }) {
  const named = folders.filter(({ folder }) => folder);
  if (folders.length < 2 || !named.length) return null;
  const choose = (/** @type {{ currentTarget: HTMLSelectElement }} */ { currentTarget: { value } }) => {
    go(reviewHash({ ...filter, folder: value }));
  };
  return html`<select aria-label="Lines of a folder" value=${filter.folder ?? ''} onChange=${choose}>
    <option value="">All folders</option>
    ${named.map(
      ({ folder, notes }) => html`<option key=${folder} value=${folder}>
        ${`${folder}/ (${formatNumber(notes)})`}</option>`,
    )}
  </select>`;
}

/** @param {{ brief: Brief }} props `brief`: that of a sitting */
function UndoAll({ brief }) {
  const [asking, setAsking] = useState(false);
  const { lines, clients, edits } = brief;
  const outside = clients[0]?.outside ?? '';
  const reason = whyNoUndo(outside);
  if (!vault.value?.can_write || lines.every(({ undone }) => undone)) return null;
  if (reason) return html`<span class="quiet">${reason}</span>`;
  const about = `${numberOf(edits, outside ? 'change' : 'edit')} by ${nameOf(lines[0])}`;
  return html`<button type="button" class="danger" onClick=${() => setAsking(true)}>Undo all of this…</button>
    ${
      asking &&
      html`<${UndoDialog} which=${{ edit: lines[0].sitting, sitting: true }} about=${about} title="Undo all of this?"
        onClose=${() => setAsking(false)} />`
    }`;
}
