// A button that gives a note an older text again, after a question that shows what has changed since.
import { html, useId, useState } from '../vendor/ui.js';
import { api } from '../server/api.js';
import { isolated } from '../common/bidi.js';
import { Diff } from '../common/diff.js';
import { Question } from '../common/dialog.js';
import { ErrorMessage, Waiting, useLoad } from '../common/load.js';
import { open } from '../navigation.js';
import { useAction } from '../common/preview.js';
import { Sentence } from '../common/sentence.js';
import { canWrite } from '../state.js';
import { toast } from '../common/toasts.js';

/** @param {{ name: string, rev: string, text?: string }} props */
export function Restore({ name, rev, text = 'Restore…' }) {
  const [asking, setAsking] = useState(false);
  const reason = useId();
  const { act, busy, error } = useAction(async () => {
    const done = await api.restore({ name, rev });
    const result = done.outcome === 'unchanged' ? 'has that text already' : 'is restored';
    toast([`${done.name} ${result}.`, ...done.remarks].join(' '));
    open(done.name);
  });
  const answer = (/** @type {boolean} */ yes) => {
    setAsking(false);
    if (yes) act();
  };
  const may = canWrite(name);
  return html`<button type="button" class="danger" disabled=${!may || busy} aria-describedby=${may ? undefined : reason}
      onClick=${() => setAsking(true)}>${text}</button>
    ${!may && html`<span class="quiet" id=${reason}>You may only read this note.</span>`}
    <${ErrorMessage} error=${error} />
    ${asking && html`<${RestoreQuestion} name=${name} rev=${rev} onAnswer=${answer} />`}`;
}

/** @param {{ name: string, rev: string, onAnswer: (yes: boolean) => void }} props */
function RestoreQuestion({ name, rev, onAnswer }) {
  const { data, error } = useLoad(() => api.diff(name, rev), [name, rev]);
  return html`<${Question} title=${`Restore ${isolated(name)}?`} yes="Restore" onAnswer=${onAnswer}>
    <p>The note gets this older text again. If it has another text now, that stays in the history.</p>
    ${!data && !error && html`<${Waiting} />`}
    ${error && html`<p class="quiet"><${Sentence} text=${error.message} /></p>`}
    ${
      data &&
      (data.diff
        ? html`<p>These changes since then are taken back:</p>
          <${Diff} text=${data.diff} label=${`What has changed since in ${name}`} />`
        : html`<p class="quiet">The note has this text now.</p>`)
    }
  <//>`;
}
