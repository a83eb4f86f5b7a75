// The state of the synchronisation with other machines: when it last succeeded, what waits, why it failed.
import { html } from '../vendor/ui.js';
import { api } from '../server/api.js';
import { ErrorMessage, numberOf, useChanges, useLoad } from '../common/load.js';
import { When } from '../common/when.js';

/** @import * as Messages from '../messages.d.ts' */

export function Synchronisation() {
  const { data, error, again } = useLoad(api.sync, []);
  useChanges(again);
  if (error) return html`<${ErrorMessage} error=${error} again=${again} />`;
  return data?.last && html`<${State} ...${data.last} />`;
}

/** @param {Messages.SyncState} props */
function State({ time, succeeded, remote, ahead, behind, offline, trouble }) {
  const waits = [ahead && `${numberOf(ahead, 'commit')} to push`, behind && `${numberOf(behind, 'commit')} to fetch`];
  return html`<section class="synchronisation" aria-label="Synchronisation">
    <p>${
      succeeded
        ? html`Last synchronised with ${remote}: <${When} time=${succeeded} />.`
        : `Not synchronised with ${remote} yet.`
    }${' '}${waits.filter(Boolean).join(', ') || 'Nothing waits'}.</p>
    ${offline && html`<p>Offline; last tried <${When} time=${time} />: ${offline}.</p>`}
    ${trouble && html`<p role="alert">The last attempt failed, <${When} time=${time} />: ${trouble}.</p>`}
  </section>`;
}
