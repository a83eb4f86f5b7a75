// The conflicts of a note: what two machines wrote in the same lines, and the choice between the two.
import { html, useId } from '../vendor/ui.js';
import { api } from '../server/api.js';
import { ErrorMessage } from '../common/load.js';
import { useAction } from '../common/preview.js';
import { useElement } from '../common/refs.js';
import { canWrite } from '../state.js';
import { toast } from '../common/toasts.js';
import { isTyping } from '../common/typing.js';

/**
 * @import * as Messages from '../messages.d.ts'
 * @typedef {(edited: Messages.Edited) => void} OnResolved
 */

/** @param {{ note: Messages.Note, onResolved: OnResolved }} props */
export function Conflicts({ note, onResolved }) {
  const { conflicts } = note;
  const title = useId();
  if (!conflicts.length) return null;
  return html`<section class="two-versions" aria-labelledby=${title}>
    <h3 id=${title}>Two versions of the same lines <span class="count">${conflicts.length}</span></h3>
    ${conflicts.map(
      (one, number) => html`<${Choice} key=${number} note=${note} number=${number}
        conflict=${one} onResolved=${onResolved} />`,
    )}
  </section>`;
}

/**
 * Both sides of one conflict. "Use the other" is offered only if it is certain which lines it would replace.
 * @param {{ note: Messages.Note, number: number, conflict: Messages.Conflict, onResolved: OnResolved }} props
 */
function Choice({ note: { name, etag }, number, conflict: { title, here, other }, onResolved }) {
  const group = useElement(HTMLDivElement);
  const caption = title || 'Another version';
  const resolve = (/** @type {boolean} */ useOther) => async () => {
    const heading = group.current.closest('article')?.querySelector('h2');
    const edited = await api.resolve({ name, number, other: useOther, etag });
    const done = useOther ? 'has the other version now' : 'keeps its version';
    toast([`${edited.name} ${done}.`, ...edited.remarks].join(' '));
    if (!isTyping()) heading?.focus({ preventScroll: true }); // the button that had the focus goes away
    onResolved(edited);
  };
  const keep = useAction(resolve(false));
  const use = useAction(resolve(true));
  const busy = keep.busy || use.busy;
  return html`<div class="version-choice" role="group" aria-label=${`Conflict ${number + 1}: ${caption}`} ref=${group}>
    <div class="sides">
      <${Side} title="In this note" text=${here} />
      <${Side} title=${caption} text=${other} />
    </div>
    ${
      canWrite(name) &&
      html`<div class="toolbar">
        <button type="button" onClick=${keep.act} disabled=${busy}>Keep this</button>
        ${here !== null && html`<button type="button" onClick=${use.act} disabled=${busy}>Use the other</button>`}
      </div>`
    }
    <${ErrorMessage} error=${keep.error ?? use.error} />
  </div>`;
}

/** @param {{ title: string, text: string | null }} props */
const Side = ({ title, text }) => html`<div>
  <h4>${title}</h4>
  ${
    text === null
      ? html`<p class="quiet">It is not certain which lines of this note the other version is about. To use it, edit
        the note.</p>`
      : html`<pre class="diff plain" tabindex="0" role="group" aria-label=${title}>${text}</pre>`
  }
</div>`;
