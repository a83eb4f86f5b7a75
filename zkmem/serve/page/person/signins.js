// The sign-ins of the person: which clients have access in this person's name. Each can be ended. Passkeys are below.
import { html, useState } from '../vendor/ui.js';
import { api } from '../server/api.js';
import { Dialog } from '../common/dialog.js';
import { ErrorMessage, useLoad, Waiting } from '../common/load.js';
import { Passkeys } from './passkeys.js';
import { useAction } from '../common/preview.js';
import { useElement } from '../common/refs.js';
import { signInsShown } from '../state.js';
import { When } from '../common/when.js';

/** @import { SignIn } from '../messages.d.ts' */

const close = () => (signInsShown.value = false);

export const SignIns = () => signInsShown.value && html`<${SignInsDialog} />`;

function SignInsDialog() {
  const { data, error, again } = useLoad(api.signIns, []);
  const [ended, setEnded] = useState('');
  const button = useElement(HTMLButtonElement);
  const onEnded = (/** @type {string} */ name) => {
    setEnded(name);
    button.current.focus(); // the button of the row goes
    again();
  };
  return html`<${Dialog} title="Your sign-ins" onClose=${close} wide>
    <p class="quiet">These have access to this vault in your name. If you end one, its client must sign in again.</p>
    <${ErrorMessage} error=${error} again=${again} />
    ${!data && !error && html`<${Waiting} />`}
    <ul class="sign-ins">
      ${data?.sign_ins.map((one) => html`<${Row} key=${one.name} one=${one} onEnded=${onEnded} />`)}
    </ul>
    <p role="status">${ended && `Ended: ${ended}.`}</p>
    <${Passkeys} />
    <p class="quiet">The person who runs the server sees everybody’s with <code>zkmem token list</code>.</p>
    <div class="actions"><button type="button" class="primary" ref=${button} data-first
      onClick=${close}>Close</button></div>
  <//>`;
}

/** @param {{ one: SignIn, onEnded: (name: string) => void }} props */
function Row({ one, onEnded }) {
  const { act, busy, error } = useAction(async () => {
    await api.endSignIn(one.name);
    onEnded(one.name);
  });
  const what = one.read_only ? 'reads' : 'reads and writes';
  return html`<li>
    <div>
      <strong>${one.client}</strong>${one.place && `, ${one.place}`}${one.is_current && ' (you are using this one)'}
      <p>${what} ${one.folder ? html`the notes below <em>${one.folder}/</em>` : 'the whole vault'}</p>
      <p class="quiet">${one.name}: signed in <${When} time=${one.created} />, ${
        one.used ? html`last used <${When} time=${one.used} />` : 'not used yet'
      }, ends <${When} time=${one.expires} /></p>
      <${ErrorMessage} error=${error} />
    </div>
    ${
      !one.is_current &&
      html`<button type="button" class="danger" disabled=${busy} aria-label=${`End ${one.name}`}
        onClick=${act}>End</button>`
    }
  </li>`;
}
