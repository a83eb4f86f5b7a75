// Short messages, and the changes that a screen reader announces.
import { html } from '../vendor/ui.js';
import { directionless, isolated } from '../common/bidi.js';
import { TokenWanted } from '../person/dialogs.js';
import { isOwn } from '../history/past.js';
import { changed, toasts } from '../state.js';
import { dismiss } from '../common/toasts.js';

/** @import { Offer } from '../state.js' */

export function Toasts() {
  const { names, by, at } = changed.value;
  const who = by && !isOwn(by) ? `${by} changed` : 'Changed:'; // that it was another page is not worth saying
  return html`<div class="unseen" role="log" aria-live="polite" id="changes">
      ${at > 0 && html`<p key=${at}>${who} ${listed(names)}</p>`}
    </div>
    <div class="toasts" aria-live="polite" aria-label="Messages" role="region">
      <${TokenWanted} />
      ${toasts.value.map(
        ({
          id,
          message,
          kind,
          offer,
        }) => html`<div class=${`toast ${kind}`} key=${id} role=${kind === 'error' ? 'alert' : undefined}>
        <span>${directionless(message)}</span>
        ${offer && html`<${Offered} id=${id} offer=${offer} />`}
        <button type="button" aria-label="Close this message" onClick=${() => dismiss(id)}>×</button>
      </div>`,
      )}
    </div>`;
}

/** @param {{ id: number, offer: Offer }} props */
function Offered({ id, offer: { title, act } }) {
  const onClick = () => {
    dismiss(id);
    act();
  };
  return html`<button type="button" class="offer" onClick=${onClick}>${title}</button>`;
}

function listed(/** @type {string[] | null} */ names) {
  if (names === null) return 'many notes';
  return names.slice(0, 3).map(isolated).join(', ') + (names.length > 3 ? ` and ${names.length - 3} more` : '');
}
