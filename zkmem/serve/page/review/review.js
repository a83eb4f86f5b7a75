// What happened in the vault since the person last looked: a card for each sitting of a client.
import { html, useEffect, useRef, useState } from '../vendor/ui.js';
import { api } from '../server/api.js';
import { isolated } from '../common/bidi.js';
import { Boundary } from '../common/boundary.js';
import { ChangedNotes } from './changed.js';
import { hueOf } from '../common/hue.js';
import { ErrorMessage, Waiting, formatNumber, numberOf, useChanges, useLoad } from '../common/load.js';
import { useAction } from '../common/preview.js';
import { Proposed } from './proposed.js';
import { proposed, unseen, vault } from '../state.js';
import { UndoDialog } from '../history/undo.js';
import { When } from '../common/when.js';
import { nameOf } from '../common/who.js';

/**
 * @import * as Messages from '../messages.d.ts'
 * @typedef {Messages.Review['sittings'][number]} Sitting
 */

const COUNT = 20;
const MOST_NAMED = 5;

/** The sittings, the newest first; those that the person has not seen are open. */
export function Review() {
  const [pages, setPages] = useState(1);
  const { data, error, again } = useLoad(() => loadPages(pages), [pages]);
  useChanges(again);
  useEffect(() => {
    if (data) unseen.value = data.unseen;
  }, [data]);
  const sittings = data?.sittings ?? [];
  return html`<section class="review" aria-label="Review">
    ${proposed.value.length > 0 && html`<h2 class="title" tabindex="-1">Proposed edits</h2>`}
    <${Proposed} />
    <h2 class="title" tabindex="-1">${title(data)}</h2>
    <${ErrorMessage} error=${error} again=${again} />
    ${!data && !error && html`<${Waiting} />`}
    ${
      data &&
      !sittings.length &&
      html`<p class="empty">No tool has edited this vault yet. From the first edit by a tool on, changes by hand
        are listed, too.</p>`
    }
    ${data && data.unseen > 0 && html`<${MarkAll} edit=${sittings[0].edit} again=${again} />`}
    ${sittings.map(
      (sitting) => html`<${Boundary} key=${key(sitting)}><${Card} sitting=${sitting} again=${again} /></${Boundary}>`,
    )}
    ${data?.next && html`<button type="button" onClick=${() => setPages(pages + 1)}>Show older ones</button>`}
  </section>`;
}

/** Load so many pages of sittings, as if they were one. */
async function loadPages(/** @type {number} */ pages) {
  const whole = await api.review(null, COUNT);
  for (let page = 1; page < pages && whole.next; page += 1) {
    const { sittings, next } = await api.review(whole.next, COUNT);
    whole.sittings.push(...sittings);
    whole.next = next;
  }
  return whole;
}

/** Return what stays the same while a sitting grows. */
const key = (/** @type {Sitting} */ { client, began }) => `${client} ${began}`;

function title(/** @type {Messages.Review | undefined} */ data) {
  if (!data?.unseen) return 'Recent edits';
  return `${numberOf(data.unseen, 'edit')} since you last looked`;
}

/** @param {{ edit: number, again: () => void }} props */
function MarkAll({ edit, again }) {
  const { act, busy, error } = useAction(async () => {
    await api.markSeen({ edit, earlier: true });
    again();
  });
  return html`<div class="toolbar"><button type="button" onClick=${act} disabled=${busy}>Mark all as seen</button></div>
    <${ErrorMessage} error=${error} />`;
}

/** @param {{ sitting: Sitting, again: () => void }} props */
function Card({ sitting, again }) {
  const { edit, client, notes, changed, relinked, more, edits, seen, undone, own, synchronised, outside } = sitting;
  const partly = !undone && sitting.edits_undone > 0;
  const isNew = !seen && !own && !undone;
  const [opened, setOpened] = useState(isNew);
  const [asking, setAsking] = useState(false);
  const mark = useAction(async () => {
    await api.markSeen({ edit });
    setOpened(false);
    again();
  });
  const who = nameOf(sitting);
  const size = `${numberOf(edits, outside ? 'change' : 'edit')} in ${numberOf(changed + relinked + more, 'note')}`;
  const about = outside ? `${size}: ${who}` : `${size} by ${who}`;
  const names = notes.filter(({ outcome }) => outcome !== 'relinked');
  const relinkedNames = notes.filter(({ outcome }) => outcome === 'relinked').map(({ name }) => isolated(name));
  const fixed = whyNoUndo(sitting);
  const hue = { '--hue': hueOf(client || outside) };
  return html`<article class=${`card ${isNew ? 'new' : ''}`} style=${hue} aria-label=${about}>
    <header>
      <h3>${!isNew && html`<i class="dot" aria-hidden="true"></i>`}${who}</h3>
      <span class="quiet"><${When} time=${sitting.ended} since=${sitting.began} />${` · ${size}`}</span>
      ${undone && html`<span class="tag">undone</span>`}
      ${partly && html`<span class="tag">${numberOf(sitting.edits_undone, outside ? 'change' : 'edit')} undone</span>`}
      ${synchronised && html`<span class="tag">from another machine</span>`}
    </header>
    ${!notes.length && html`<p class="quiet">These edits left every note as it was.</p>`}
    ${
      opened
        ? html`<${Notes} edit=${edit} total=${changed} />`
        : html`<p class="names">${shortened(
            names.map(({ name, outcome }) => `${isolated(name)} (${outcome})`),
            changed,
          )}</p>`
    }
    ${
      relinked > 0 &&
      html`<p class="quiet names">Links were updated in ${
        relinkedNames.length ? shortened(relinkedNames, relinked) : numberOf(relinked, 'note')
      }.</p>`
    }
    ${more > 0 && html`<p class="quiet">${numberOf(more, 'more note')} changed.</p>`}
    ${fixed && html`<p class="quiet">${fixed}</p>`}
    <div class="toolbar" role="toolbar" aria-label=${about}>
      ${
        isNew &&
        html`<button type="button" class="primary" title="Mark as seen" onClick=${mark.act}
          disabled=${mark.busy}>Got it</button>`
      }
      ${
        notes.length > 0 &&
        html`<button type="button" aria-expanded=${opened} onClick=${() => setOpened(!opened)}>${
          opened ? 'Hide changes' : 'Show changes'
        }</button>`
      }
      ${
        vault.value?.can_write &&
        !undone &&
        !synchronised &&
        !fixed &&
        html`<button type="button" class="danger" onClick=${() => setAsking(true)}>${
          partly ? 'Undo the rest…' : 'Undo…'
        }</button>`
      }
    </div>
    <${ErrorMessage} error=${mark.error} />
    ${
      asking &&
      html`<${UndoDialog} which=${{ edit, sitting: true }} about=${partly ? '' : about}
        title=${partly ? 'Undo the rest?' : 'Undo all of this?'}
        onClose=${() => setAsking(false)} />`
    }
  </article>`;
}

/** Return some of `total` names as a list of limited length. */
export function shortened(/** @type {string[]} */ names, /** @type {number} */ total) {
  const first = names.slice(0, MOST_NAMED);
  return first.join(', ') + (total > first.length ? ` and ${formatNumber(total - first.length)} more` : '');
}

/** Return why changes by another program cannot be undone here; empty if they can. */
export function whyNoUndo(/** @type {Sitting} */ { outside, more }) {
  if (outside.startsWith('git ')) return 'git made these changes; undo them with git.';
  return more ? 'There are more changes than zkmem has listed, so it cannot undo them.' : '';
}

/**
 * The changed notes of a sitting. They are loaded when the card comes into view, since there may be many cards.
 * @param {{ edit: number, total: number }} props
 */
function Notes({ edit, total }) {
  const place = useRef(/** @type {HTMLDivElement | null} */ (null));
  const [visible, setVisible] = useState(false);
  const load = (/** @type {number} */ from) => api.changes(edit, from);
  useEffect(() => {
    if (!place.current) return undefined;
    const observer = new IntersectionObserver((entries) => {
      if (entries.some((entry) => entry.isIntersecting)) setVisible(true);
    });
    observer.observe(place.current);
    return () => observer.disconnect();
  }, []);
  return html`<div ref=${place}>
    ${visible ? html`<${ChangedNotes} load=${load} keys=${[edit]} total=${total} />` : html`<${Waiting} />`}
  </div>`;
}
