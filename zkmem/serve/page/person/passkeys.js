// The passkeys of the person: they are listed, added and removed here.
import { html, useLayoutEffect, useState } from '../vendor/ui.js';
import { api } from '../server/api.js';
import { ErrorMessage, useLoad } from '../common/load.js';
import { CAN_USE_PASSKEYS } from './passkey.js';
import { useAction } from '../common/preview.js';
import { useElement } from '../common/refs.js';
import { addPasskey } from './sessions.js';
import { When } from '../common/when.js';

/** @import { Passkey } from '../messages.d.ts' */

/** The part of the dialog of sign-ins about passkeys; nothing if there are none and none can be added. */
export function Passkeys() {
  const { data, error, again } = useLoad(api.passkeys, []);
  const [adding, setAdding] = useState(false);
  const [done, setDone] = useState('');
  const status = useElement(HTMLParagraphElement);
  const canAdd = data?.can_add && CAN_USE_PASSKEYS;
  if (!error && !data?.passkeys.length && !canAdd) return null;
  const end = (sentence = '') => {
    setAdding(false);
    setDone(sentence);
    status.current.focus(); // the form or the row goes
  };
  const onDone = (/** @type {string} */ sentence) => {
    end(sentence);
    again();
  };
  return html`<section aria-labelledby="passkeys">
    <h3 id="passkeys">Passkeys</h3>
    <p class="quiet">With a passkey, you sign in without your password: your device asks for your finger, your face or a
      PIN. It opens all vaults of this server that you may use.</p>
    <${ErrorMessage} error=${error} again=${again} />
    <ul class="sign-ins">
      ${data?.passkeys.map((one) => html`<${Row} key=${one.id} one=${one} onDone=${onDone} />`)}
    </ul>
    ${adding && html`<${Form} onDone=${onDone} onCancel=${() => end()} />`}
    <p role="status" ref=${status} tabindex="-1">${done}</p>
    ${canAdd && !adding && html`<button type="button" onClick=${() => setAdding(true)}>Add a passkey</button>`}
  </section>`;
}

/** @param {{ one: Passkey, onDone: (sentence: string) => void }} props */
function Row({ one, onDone }) {
  const { act, busy, error } = useAction(async () => {
    await api.removePasskey(one.id);
    onDone(`Removed: ${one.name}.`);
  });
  return html`<li>
    <div>
      <strong>${one.name}</strong>
      <p class="quiet">added <${When} time=${one.created} />, ${
        one.used ? html`last used <${When} time=${one.used} />` : 'not used yet'
      }</p>
      <${ErrorMessage} error=${error} />
    </div>
    <button type="button" class="danger" disabled=${busy} aria-label=${`Remove ${one.name}`}
      onClick=${act}>Remove</button>
  </li>`;
}

/**
 * The password is asked for again: whoever has stolen the token of the page must not get a key that stays.
 * @param {{ onDone: (sentence: string) => void, onCancel: () => void }} props
 */
function Form({ onDone, onCancel }) {
  const name = useElement(HTMLInputElement);
  const password = useElement(HTMLInputElement);
  useLayoutEffect(() => name.current.select(), []);
  const { act, busy, error } = useAction(async () => {
    const added = await addPasskey(name.current.value, password.current.value);
    onDone(`Added: ${added}.`);
  });
  return html`<form class="add-passkey" onSubmit=${act}>
    <label>Name of the passkey <input ref=${name} value=${navigator.platform || 'Passkey'} maxlength="60" required
      autocomplete="off" /></label>
    <label>Your password <input ref=${password} type="password" required autocomplete="current-password" /></label>
    <${ErrorMessage} error=${error} />
    <div class="actions">
      <button type="button" class="plain" onClick=${onCancel}>Cancel</button>
      <button type="submit" class="primary" disabled=${busy}>Add</button>
    </div>
  </form>`;
}
