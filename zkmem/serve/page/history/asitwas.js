// A button that shows a note as it was before its last change.
import { html } from '../vendor/ui.js';
import { ErrorMessage } from '../common/load.js';
import { showAsItWas } from './moments.js';
import { useAction } from '../common/preview.js';

/** @param {{ name: string }} props */
export function AsItWas({ name }) {
  const { act, busy, error } = useAction(() => showAsItWas(name));
  return html`<button type="button" onClick=${act} disabled=${busy}>As it was…</button>
    <${ErrorMessage} error=${error} />`;
}
