// What is wrong with the note `hint`, where readers begin: in full in Tidy, and as a link to Tidy on Home.
import { html, useState } from '../vendor/ui.js';
import { isolated } from '../common/bidi.js';
import { api } from '../server/api.js';
import { ErrorMessage, useChanges, useLoad } from '../common/load.js';
import { noteHash } from '../navigation.js';
import { vault } from '../state.js';
import { showError, toast } from '../common/toasts.js';

/**
 * @import { HintState } from '../messages.d.ts'
 */

/** What is wrong; nothing if all is well. */
export function EntryState() {
  const { data, error, again } = useLoad(api.hint, []);
  useChanges(again);
  if (error) return html`<${ErrorMessage} error=${error} again=${again} />`;
  if (!data?.sentences.length) return null;
  return html`<section class="tidy-state" aria-label="Where readers begin">
    ${data.sentences.map((sentence) => html`<p key=${sentence} dir="auto">${sentence}</p>`)}
    ${data.exists && html`<p class="quiet"><a href=${noteHash(data.name)}>Open the note</a></p>`}
    ${vault.value?.can_write && !vault.value.proposes && html`<${ProposeDraft} />`}
  </section>`;
}

/** A button that proposes a draft of the note, made from the links, and then opens Review. */
function ProposeDraft() {
  const [waits, setWaits] = useState(false);
  const propose = async () => {
    setWaits(true);
    try {
      if ((await api.proposeHint()).proposed) location.hash = '#/review';
      else toast('A draft from the links would change nothing.');
    } catch (error) {
      showError(error);
    } finally {
      setWaits(false);
    }
  };
  return html`<p><button type="button" disabled=${waits} onClick=${propose}>Propose a draft</button>
    ${' '}<span class="quiet">made from the links; nothing changes before you accept it.</span></p>`;
}

/**
 * A link to what is wrong; nothing if all is well.
 * @param {HintState} props
 */
export function EntryMark({ name, exists, sentences }) {
  if (!sentences.length) return null;
  const note = `note ${isolated(name)}, where readers begin`;
  const text = exists ? `The ${note}, needs tidying` : `There is no ${note}`;
  return html`<p class="quiet"><a href="#/tidy">${text}</a></p>`;
}
