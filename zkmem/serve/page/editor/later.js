// The editor, which is half of the page's scripts: it is loaded when a note is open, not with the first view.
import { html, useEffect, useState } from '../vendor/ui.js';
import { ErrorMessage, Waiting, script } from '../common/load.js';

/** @typedef {typeof import('./editor.js')} EditorModule */

export async function loadEditor() {
  const [module] = await script(Promise.all([import('./editor.js'), import('../vendor/editor.js')]));
  return module;
}

/** @type {EditorModule | null} */
let loaded = null;

/**
 * The editor of a note, as soon as it is loaded.
 * @param {Parameters<EditorModule['Editor']>[0]} props
 */
export const Editor = (props) => html`<${Part} name="Editor" props=${props} />`;

/**
 * Two versions of a note, as soon as the editor is loaded.
 * @param {Parameters<EditorModule['TwoVersions']>[0]} props
 */
export const TwoVersions = (props) => html`<${Part} name="TwoVersions" props=${props} />`;

/** @param {{ name: 'Editor' | 'TwoVersions', props: object }} props */
function Part({ name, props }) {
  const [module, setModule] = useState(loaded);
  const [error, setError] = useState(/** @type {Error | null} */ (null));
  const load = () => {
    setError(null);
    loadEditor().then((one) => setModule((loaded = one)), setError);
  };
  useEffect(() => {
    if (!module) load();
  }, []);
  if (module) return html`<${module[name]} ...${props} />`;
  return error ? html`<${ErrorMessage} error=${error} again=${load} />` : html`<${Waiting} />`;
}
