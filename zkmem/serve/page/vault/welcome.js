// The first steps in a vault that has few notes: add a client, write a note, look at the sample.
import { html } from '../vendor/ui.js';
import { creating, vault } from '../state.js';
import { showError, toast } from '../common/toasts.js';

export function Welcome() {
  const { name, token, person, vaults = [] } = vault.value ?? {};
  const header = token && !person ? ' --header "Authorization: Bearer TOKEN"' : ''; // a person's client signs in, too
  const entry = vaults.length > 1 ? `zkmem-${name}` : 'zkmem';
  const line = `claude mcp add --transport http ${entry} ${new URL('mcp', location.href)}${header}`;
  const copy = () =>
    navigator.clipboard.writeText(line).then(
      () => toast('Copied.'),
      (error) => showError(error),
    );
  return html`<ol class="steps">
    <li>
      <h3>Add a client</h3>
      <p>What your model writes then appears here at once. For Claude Code:</p>
      <p class="line"><code>${line}</code><button type="button" onClick=${copy}>Copy</button></p>
      ${
        header &&
        html`<p class="quiet">TOKEN stands for a token of this vault; <code>zkmem token add NAME</code> makes
        one.</p>`
      }
      <p class="quiet">On the machine of the vault, <code>zkmem install CLIENT --vault FOLDER</code> adds
        other clients; <code>zkmem install --list</code> names them. FOLDER is the folder of this vault.</p>
    </li>
    ${
      vault.value?.can_write &&
      html`<li>
        <h3>Write a note</h3>
        <p>Each note is a Markdown file in the vault's folder. The note <code>hint</code> is where readers start.</p>
        <p><button type="button"
          class="primary" onClick=${() => (creating.value = firstName())}>Create a note…</button></p>
      </li>`
    }
    <li>
      <h3>Or look around first</h3>
      <p>A clone of zkmem has a sample of 44 notes, which a second server shows on a port of its own:${' '}
        <code>zkmem serve sample_vault --mode http --port 0</code></p>
    </li>
  </ol>`;
}

/** Return the name that the question for a name proposes. */
const firstName = () => `${vault.value?.folder ? `${vault.value.folder}/` : ''}hint`;
