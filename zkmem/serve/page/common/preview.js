// The preview of an edit over several files, asked for while its arguments are typed.
import { html, useEffect, useState } from '../vendor/ui.js';
import { api } from '../server/api.js';
import { Changes } from './diff.js';
import { TokenWanted } from '../person/dialogs.js';
import { numberOf } from './load.js';
import { Sentence } from './sentence.js';

/**
 * @import { ComponentChildren } from '../vendor/ui.js'
 * @import { Preview as Plan } from '../messages.d.ts'
 */

const QUIET = 250; // milliseconds without a key

/**
 * Ask what an edit would change while the person types it; for an edit of null, ask nothing.
 * @typedef {{ plan?: Plan, error?: Error, waiting?: boolean }} PreviewState
 * @param {string} path
 * @param {object | null} edit
 */
export function usePreview(path, edit) {
  const [state, setState] = useState(/** @type {PreviewState} */ ({}));
  const key = JSON.stringify(edit);
  useEffect(() => {
    if (!edit) return setState({});
    setState({ waiting: true });
    let current = true;
    const timer = setTimeout(() => {
      api.preview(path, edit).then(
        (plan) => current && setState({ plan }),
        (error) => current && setState({ error }),
      );
    }, QUIET);
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [key]);
  return state;
}

/**
 * What an edit would change, as the children show it, else as differences; `summary` returns what it does, in words.
 * @param {{ state: PreviewState, summary: (plan: Plan) => string, children?: ComponentChildren }} props
 */
export function Preview({ state: { plan, error, waiting }, summary, children }) {
  return html`<div class="preview" aria-live="polite">
    ${error && html`<p class="trouble"><${Sentence} text=${error.message} /></p>`} ${
      waiting && html`<p class="quiet">Computing what would change…</p><${TokenWanted} />`
    }
    ${
      plan &&
      html`<p>${summary(plan)} ${filesOf(plan.changes)} would change:</p>
        ${plan.remarks.map((remark) => html`<p class="quiet" key=${remark}>${remark}</p>`)}
        ${children || html`<${Changes} changes=${plan.changes} />`}`
    }
  </div>`;
}

/** Return in words how many notes, and how many other files, change. */
export function filesOf(/** @type {{ path: string }[]} */ changes) {
  const notes = changes.filter(({ path }) => /\.md$/i.test(path)).length;
  const parts = [notes && numberOf(notes, 'note'), notes < changes.length && numberOf(changes.length - notes, 'file')];
  return parts.filter(Boolean).join(' and ') || numberOf(0, 'note');
}

/**
 * Return an action of a dialog as `{ act, busy, error }`. If it fails, the dialog can show the error and stay open.
 * @param {() => Promise<unknown>} action
 */
export function useAction(action) {
  const [state, setState] = useState({ busy: false, error: /** @type {Error | null} */ (null) });
  const act = async (/** @type {Event | undefined} */ event = undefined) => {
    event?.preventDefault();
    if (state.busy) return;
    setState({ busy: true, error: null });
    try {
      await action();
      setState({ busy: false, error: null });
    } catch (error) {
      setState({ busy: false, error: asError(error) });
    }
  };
  return { ...state, act };
}

const asError = (/** @type {unknown} */ error) => (error instanceof Error ? error : new Error(String(error)));
