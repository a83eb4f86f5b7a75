// The lines of a brief: what happened to each note. Each line opens, is ticked as viewed, and is undone, also by keys.
import { html, useEffect, useRef, useState } from '../vendor/ui.js';
import { useActions } from '../shell/actions.js';
import { api } from '../server/api.js';
import { directionless, isolated } from '../common/bidi.js';
import { Boundary } from '../common/boundary.js';
import { Opened, UndoDialog } from '../shell/later.js';
import { Size } from './size.js';
import { hueOf } from '../common/hue.js';
import { moveInList } from '../common/load.js';
import { useElement } from '../common/refs.js';
import { showError, toast } from '../common/toasts.js';
import { When } from '../common/when.js';
import { nameOf } from '../common/who.js';
import { addressOf, isDestroying, keyOf, mayUndo, whyNoUndo, withDone } from './brief.js';

/**
 * @import { Line } from './brief.js'
 * @typedef {{ line: Line, passage?: number }} Undoing what the person is asked whether to undo
 */

/**
 * @param {{ lines: Line[], again: () => void, onSeen: () => unknown, opened: Set<string>,
 *   setOpened: (opened: Set<string>) => void }} props `again` loads the brief again; `onSeen` marks all of it as seen
 */
export function Lines({ lines: listed, again, onSeen, opened, setOpened }) {
  const list = useRef(/** @type {HTMLUListElement | null} */ (null));
  const shown = useRef(/** @type {Line[]} */ ([]));
  const [done, setDone] = useState(/** @type {Map<string, Line>} */ (new Map()));
  const last = useRef(-1); // the place of the line that had the focus last
  const [undoing, setUndoing] = useState(/** @type {Undoing | null} */ (null));
  const lines = (shown.current = withDone(listed, shown.current, done));
  const deal = (/** @type {Line} */ line) => setDone((before) => new Map(before).set(keyOf(line), line));
  const tick = async (/** @type {Line} */ line) => {
    const viewed = !line.viewed;
    if (viewed && opened.has(keyOf(line))) toggle(line);
    deal({ ...line, viewed });
    try {
      await api.viewed({ lines: [addressOf(line)], viewed });
    } catch (error) {
      deal(line);
      throw error;
    }
    again();
  };
  const toggle = (/** @type {Line} */ line) => {
    const key = keyOf(line);
    setOpened(opened.has(key) ? new Set([...opened].filter((one) => one !== key)) : new Set([...opened, key]));
  };
  /** @type {() => HTMLElement[]} */
  const rows = () =>
    [...(list.current?.querySelectorAll('[data-row]') ?? [])].filter((one) => one instanceof HTMLElement);
  const place = () => rows().findIndex((row) => row.closest('.line') === document.activeElement?.closest('.line'));
  const move = (/** @type {number} */ by) => {
    const from = place() < 0 ? last.current : place();
    const all = rows();
    all[Math.max(0, Math.min(all.length - 1, from + by))]?.focus();
  };
  const withCurrent = (/** @type {(line: Line) => void} */ act) => () => {
    const line = lines[place()];
    if (line) act(line);
  };
  const ask = (/** @type {Undoing} */ what) => {
    const reason = whyNoUndo(what.line.outside);
    if (reason) toast(reason);
    else if (mayUndo(what.line)) setUndoing(what);
  };
  useActions([
    { title: 'Review: next note', key: 'j', act: () => move(1) },
    { title: 'Review: previous note', key: 'k', act: () => move(-1) },
    {
      title: 'Review: mark this note as seen',
      key: 'x',
      act: withCurrent((line) => {
        tick(line).catch(showError);
        if (!line.viewed) move(1);
      }),
    },
    { title: 'Review: undo what was done to this note…', key: 'u', act: withCurrent((line) => ask({ line })) },
    { title: 'Review: mark all as seen', key: 's', act: onSeen },
  ]);
  return html`<ul class="lines" ref=${list} aria-label="What happened to each note" onKeyDown=${moveInList}
      onFocusIn=${() => (last.current = place())}>
      ${lines.map(
        (line) => html`<${Boundary} key=${keyOf(line)}><${Row} line=${line} isOpen=${opened.has(keyOf(line))}
          onToggle=${() => toggle(line)} onTick=${() => tick(line).catch(showError)}
          onUndo=${(/** @type {number | undefined} */ passage) => ask({ line, passage })} /></${Boundary}>`,
      )}
    </ul>
    ${
      undoing &&
      html`<${UndoDialog} which=${{ ...addressOf(undoing.line), passage: undoing.passage }} title=${titleOf(undoing)}
        onDone=${() => undoing.passage === undefined && deal({ ...undoing.line, undone: true, viewed: true })}
        onClose=${() => setUndoing(null)} />`
    }`;
}

const titleOf = (/** @type {Undoing} */ { passage }) =>
  passage === undefined ? 'Undo what was done to this note?' : 'Undo this passage?';

/**
 * @param {{ line: Line, isOpen: boolean, onToggle: () => void, onTick: () => void,
 *   onUndo: (passage?: number) => void }} props
 */
function Row({ line, isOpen, onToggle, onTick, onUndo }) {
  const { note, kind, words, added, removed, client, version, outside, began, ended, viewed, undone } = line;
  const item = useElement(HTMLLIElement);
  useEffect(() => {
    const isChosen = isOpen && item.current.contains(document.activeElement); // it was not opened with all others
    if (isChosen) item.current.scrollIntoView({ block: 'nearest' });
  }, [isOpen]);
  return html`<li ref=${item} class=${`line ${viewed ? 'viewed' : ''}`} style=${{ '--hue': hueOf(client || outside) }}>
    <div class="line-head">
      <label title="Seen (x)"><input type="checkbox" checked=${viewed} onChange=${onTick}
        aria-label=${`Seen: ${isolated(note)}`} /></label>
      <button type="button" class="line-row" data-row aria-expanded=${isOpen} onClick=${onToggle}>
        <i class="dot" aria-hidden="true"></i><span class="line-note">${note}</span>
        <span class=${isDestroying(kind) ? 'line-words destroyed' : 'line-words'}>${directionless(words)}${
          undone && html` <span class="tag">undone</span>`
        }</span>
        ${!isDestroying(kind) && html`<${Size} added=${added} removed=${removed} />`}
        <span class="line-who" title=${[nameOf(line), version].filter(Boolean).join(' ')}>${nameOf(line)}</span>
        <${When} time=${ended} since=${began} />
      </button>
    </div>
    ${isOpen && html`<${Opened} line=${line} onUndo=${onUndo} />`}
  </li>`;
}
