// The strip above a note as it was: when that was, the slider over its moments, and the ways back.
import { html, useEffect, useState } from '../vendor/ui.js';
import { ErrorMessage, formatNumber, numberOf, useChanges, useLoad } from '../common/load.js';
import { FEW, MOST, momentOf, momentsOf } from './moments.js';
import { correctAddress, editHash, go, noteHash } from '../navigation.js';
import { Restore } from './restore.js';
import { Slider } from './slider.js';
import { route, sliderWanted } from '../state.js';
import { timeText } from '../common/when.js';

/**
 * @import { Note } from '../messages.d.ts'
 * @import { Moment } from './moments.js'
 */

const QUIET_MS = 120; // for which the slider rests before the note is asked for

/**
 * `now` is the present name of the note, or its last one; `note` is the note as it was at the moment, null if it is not
 * known, undefined while it is on its way.
 * @param {{ name: string, now: string, at: string, note: Note | null | undefined }} props
 */
export function MomentStrip({ name, now, at, note }) {
  const [isWide, setWide] = useState(false); // whether the moments are those of the whole vault
  const [count, setCount] = useState(FEW);
  const { data, error, again } = useLoad(() => momentsOf(isWide ? null : name, count), [name, isWide, count]);
  const [picked, pick] = usePicked(at);
  useChanges((names) => (isWide || !names || names.includes(name)) && again());
  const { moments = [], isWhole = true } = data ?? {};
  const chosen = picked || at;
  const fromNote = note?.earlier && !picked ? momentOf(note.earlier) : null;
  const moment = moments.find((one) => one.at === chosen) ?? fromNote;
  const onKeyDown = (/** @type {KeyboardEvent} */ event) => {
    if (event.key !== 'Escape') return;
    event.preventDefault();
    go(noteHash(now));
  };
  const onWide = () => {
    sliderWanted.value = true; // the keys go on moving the slider
    setWide(!isWide);
  };
  return html`<section class="moment-strip" aria-label="As it was" onKeyDown=${onKeyDown}>
      <div class="moment">
        <p>${moment ? html`<${Sentence} ...${moment} />` : html`As it was at <q>${chosen}</q>`}</p>
        <a class="button" href=${noteHash(now)}>Now</a>
      </div>
    <${ErrorMessage} error=${error} again=${again} />
    ${
      moments.length > 0 &&
      (moment || note === null) &&
      html`<${Slider} moments=${moments} at=${chosen} time=${moment?.time ?? 0}
        isShown=${note !== undefined && !picked} onPick=${pick} />`
    }
    </section>
    <div class="toolbar moment-actions" role="toolbar" aria-label="This moment">
      ${note && html`<${Restore} name=${now} rev=${note.earlier?.rev || '0'} text="Restore this text…" />`}
      <label class="check"><input type="checkbox" checked=${isWide} onChange=${onWide} />
        Changes of other notes, too</label>
      <${Known} count=${moments.length} isWhole=${isWhole} more=${count < MOST ? () => setCount(count + FEW) : null} />
    </div>`;
}

/** @param {Moment} props */
const Sentence = ({ time, side, what, edit }) =>
  html`As it was on <strong>${timeText(time)}</strong>, ${side}${' '}
    ${edit ? html`<a href=${editHash(edit)}>${what}</a>` : what}`;

/**
 * How many moments the slider has, and a way to get more.
 * @param {{ count: number, isWhole: boolean, more: (() => void) | null }} props
 */
function Known({ count, isWhole, more }) {
  if (isWhole) return html`<span class="quiet">${count ? numberOf(count, 'moment') : 'No moment is known.'}</span>`;
  return html`<span class="quiet">The last ${formatNumber(count)} moments</span>
    ${more && html`<button type="button" class="plain" onClick=${more}>Show older ones</button>`}`;
}

/**
 * Return the moment that the person has just picked, '' for none, and a function that picks one. The address follows as
 * soon as the slider rests, without a step in the history.
 * @param {string} at
 * @returns {[string, (at: string) => void]}
 */
function usePicked(at) {
  const [picked, setPicked] = useState('');
  useEffect(() => setPicked(''), [at]);
  useEffect(() => {
    if (!picked || picked === at) return undefined;
    const { name, subpath, named } = route.peek();
    const to = noteHash(name ?? '', subpath, { at: picked, named });
    const timer = setTimeout(() => correctAddress(to), QUIET_MS);
    return () => clearTimeout(timer);
  }, [picked]);
  return [picked, setPicked];
}
