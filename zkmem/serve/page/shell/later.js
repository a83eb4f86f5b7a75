// The parts of the page that Home does not show. They are loaded when one is wanted, or when Home is there.
import { effect, html, signal, untracked, useEffect } from '../vendor/ui.js';
import { ErrorMessage, Waiting, script } from '../common/load.js';
import { toast } from '../common/toasts.js';
import { creating, helpShown, paletteShown, route, signInsShown, undoing } from '../state.js';

/** @import { Parts } from './parts.js' */

/** The parts, as soon as they are loaded; parts.js puts them here. */
export const parts = signal(/** @type {Parts | null} */ (null));

const failure = signal(/** @type {Error | null} */ (null));

const DIALOGS = [paletteShown, undoing, signInsShown, helpShown];
const isDialogWanted = () => DIALOGS.some(({ value }) => value) || creating.value !== null;

function load() {
  failure.value = null;
  script(import('./parts.js')).catch((/** @type {Error} */ error) => {
    failure.value = error; // the view shows it
    if (!untracked(isDialogWanted)) return;
    toast(error.message, 'error');
    for (const shown of DIALOGS) shown.value = false; // so that the person can try again
    creating.value = null;
  });
}

/** Load the parts when the browser has nothing else to do. */
export const loadWhenIdle = () => (globalThis.requestIdleCallback ?? setTimeout)(load);

effect(() => {
  if (isDialogWanted() || route.value.view) load();
});

/**
 * What the address names; Home is not among the parts.
 * @param {Parameters<Parts['View']>[0]} props
 */
export const View = (props) => html`<${Part} name="View" props=${props} />`;

/**
 * An open line of a brief.
 * @param {Parameters<Parts['Opened']>[0]} props
 */
export const Opened = (props) => html`<${Part} name="Opened" props=${props} />`;

/**
 * The question before an undo.
 * @param {Parameters<Parts['UndoDialog']>[0]} props
 */
export const UndoDialog = (props) => html`<${Part} name="UndoDialog" props=${props} />`;

/** @param {{ name: 'View' | 'Opened' | 'UndoDialog', props: object }} props */
function Part({ name, props }) {
  useEffect(() => {
    if (!parts.peek()) load();
  }, []);
  if (parts.value) return html`<${parts.value[name]} ...${props} />`;
  return failure.value ? html`<${ErrorMessage} error=${failure.value} again=${load} />` : html`<${Waiting} />`;
}
