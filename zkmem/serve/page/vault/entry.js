// What is wrong with the note `hint`, where readers begin: in full in Tidy, as a link to that on Home.
import { html } from '../vendor/ui.js';
import { api } from '../server/api.js';
import { ErrorMessage, useChanges, useLoad } from '../common/load.js';
import { noteHash } from '../navigation.js';

/**
 * @import { HintState } from '../messages.d.ts'
 */

/** What is wrong; nothing if all is well. */
export function EntryState() {
  const { data, error, again } = useLoad(api.hint, []);
  useChanges(again);
  if (error) return html`<${ErrorMessage} error=${error} again=${again} />`;
  if (!data?.sentences.length) return null;
  return html`<section class="synchronisation" aria-label="Where readers begin">
    ${data.sentences.map((sentence) => html`<p key=${sentence} dir="auto">${sentence}</p>`)}
    <p class="quiet"><a href=${noteHash(data.name)}>Open the note</a>. The command
      ${' '}<code>zkmem hint --propose</code> drafts it from the links, as a proposed edit.</p>
  </section>`;
}

/**
 * A link to what is wrong; nothing if all is well.
 * @param {HintState} props
 */
export function EntryMark({ exists, sentences }) {
  if (!sentences.length) return null;
  const text = exists ? 'The note where readers begin needs tidying' : 'There is no note where readers begin';
  return html`<p class="quiet"><a href="#/tidy">${text}</a></p>`;
}
