// The first page: what happened since the person last looked, where to start, what changed last; and how to begin.
import { html, useEffect } from '../vendor/ui.js';
import { api } from '../server/api.js';
import { EntryMark } from './entry.js';
import { parted } from '../common/names.js';
import { hueOf } from '../common/hue.js';
import { ErrorMessage, Waiting, moveInList, numberOf, useChanges, useLoad } from '../common/load.js';
import { noteHash } from '../navigation.js';
import { loadWhenIdle } from '../shell/later.js';
import { askedProposed, creating, pinned, proposed, vault } from '../state.js';
import { When } from '../common/when.js';
import { isImport, summaryOf } from '../review/groups.js';
import { News } from '../review/news.js';
import { showError, toast } from '../common/toasts.js';

/**
 * @import * as Messages from '../messages.d.ts'
 * @import { ComponentChildren } from '../vendor/ui.js'
 */

const COUNT = 8;
const LINES = 8; // of the brief
const FEW = 3; // notes; a vault with fewer is new

export function Home() {
  const { data: loaded, error, again } = useLoad(() => api.home(COUNT), []);
  useChanges(again);
  useEffect(() => {
    if (loaded) loadWhenIdle();
  }, [!loaded]);
  const hasFew = loaded !== undefined && loaded.recent.length < FEW;
  const data = hasFew && !askedProposed.value ? undefined : loaded; // an import may wait, which the welcome is not for
  const isNew = data !== undefined && hasFew && !proposed.value.some(isImport);
  return html`<article class="home">
    <h2 class="title" tabindex="-1">${isNew ? 'Welcome' : (vault.value?.name ?? '')}</h2>
    ${isNew && html`<${Welcome} />`}
    <${ErrorMessage} error=${error} again=${again} />
    ${proposed.value.map((set) => html`<${Waits} key=${set.client} set=${set} />`)}
    <${News} few=${LINES} isQuiet=${isNew} />
    ${!data && !error && html`<${Waiting} />`}
    ${
      pinned.value.length > 0 &&
      html`<${Section} title="Pinned">
        <ul class="pins" onKeyDown=${moveInList}>
          ${pinned.value.map((name) => html`<li key=${name}><a href=${noteHash(name)} data-row>${name}</a></li>`)}
        </ul>
      <//>`
    }
    ${
      data !== undefined &&
      data.hints.length > 0 &&
      html`<${Section} title="Where to start" more=${{ href: '#/list/hints', text: 'All' }}>
      <${EntryMark} ...${data.hint} />
      <${Openings} label="Where to start" notes=${data.hints} />
    <//>`
    }
    ${
      data !== undefined &&
      data.recent.length > 0 &&
      html`<${Section} title="Recently changed">
      <${Openings} label="Recently changed" notes=${data.recent} dated />
    <//>`
    }
    ${
      vault.value?.can_write &&
      !isNew &&
      html`<p><button type="button" onClick=${() => (creating.value = '')}>New note…</button></p>`
    }
  </article>`;
}

/** @param {{ set: Messages.ChangeSets['change_sets'][number] }} props */
const Waits = ({ set }) => html`<p class="notice" style=${{ '--hue': hueOf(set.name) }}>
  <i class="dot" aria-hidden="true"></i>${
    isImport(set) ? summaryOf(set) : `${set.name} proposes ${numberOf(set.total, 'edit')}`
  }.${' '}
  <a class=${isImport(set) ? 'button primary' : ''} href="#/review">Look at them</a></p>`;

/** @param {{ title: string, more?: { href: string, text: string }, children: ComponentChildren }} props */
const Section = ({ title, more, children }) => html`<section aria-label=${title}>
  <h3>${title} ${more && html`<a href=${more.href}>${more.text}</a>`}</h3>
  ${children}
</section>`;

/** @param {{ label: string, notes: Messages.Opening[], dated?: boolean }} props */
const Openings = ({ label, notes, dated = false }) => html`<ul class="openings" aria-label=${label}
  onKeyDown=${moveInList}>
  ${notes.map(({ name, line, changed }) => {
    const { folders, last } = parted(name);
    return html`<li key=${name}>
      <a href=${noteHash(name)} data-row><small>${folders}</small>${last}</a>
      ${dated && html`<span class="meta"><${When} time=${changed} /></span>`}
      <p dir="auto">${line}</p>
    </li>`;
  })}
</ul>`;

/** The first steps in a vault that has few notes: add a client, write a note, look at the sample. */
function Welcome() {
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
