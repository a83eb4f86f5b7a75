// What the person can do now. The parts of the page that are shown offer their actions; the command palette lists them,
// and this script runs one whose key is pressed.
import { useLayoutEffect, useRef } from '../vendor/ui.js';
import { offered, paletteShown } from '../state.js';
import { belongsToField } from '../common/typing.js';

/**
 * `key` is a plain key that runs the action while nobody types; `hint` names a key that another script handles.
 * @typedef {{ title: string, key?: string, hint?: string, act: () => unknown }} Action
 */

/**
 * Offer actions while a component is shown. The actions of the last rendering count, so they may change.
 * @param {Action[]} actions
 */
export function useActions(actions) {
  const latest = useRef(actions);
  latest.current = actions;
  const key = JSON.stringify(actions.map(({ title }) => title));
  // a layout effect, so that a key works as soon as the component is shown
  useLayoutEffect(() => {
    const own = latest.current.map((action, at) => ({ ...action, act: () => latest.current[at]?.act() }));
    offered.value = [...offered.peek(), own];
    return () => {
      offered.value = offered.peek().filter((list) => list !== own);
    };
  }, [key]);
}

/** Return the actions of all parts that are shown, those of the innermost part first. */
export const actionsNow = () => offered.value.toReversed().flat();

addEventListener('keydown', (event) => {
  if (event.defaultPrevented || event.altKey || document.querySelector('dialog[open]')) return;
  if (event.ctrlKey || event.metaKey) {
    if (event.shiftKey || event.key.toLowerCase() !== 'k') return;
    paletteShown.value = true;
  } else {
    const action = belongsToField(event) ? null : actionsNow().find(({ key }) => key === event.key);
    if (!action) return;
    action.act();
  }
  event.preventDefault();
});
