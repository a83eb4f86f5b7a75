// The preview of an edit over several files, asked for while its arguments are typed.
import { html, useEffect, useState } from './vendor/ui.js';
import { api } from './api.js';
import { Changes } from './diff.js';
import { TokenWanted } from './dialogs.js';
import { counted } from './load.js';

const QUIET = 250; // milliseconds without a key

/**
 * Ask for the preview of an edit while its body is typed; a body of null asks for nothing.
 * @typedef {{ outcome: string, changes: { path: string, to: string | null, diff: string }[] }} Plan
 * @returns {{ plan?: Plan, error?: Error, waiting?: boolean }}
 */
export function usePreview(path, body) {
  const [state, setState] = useState(/** @type {{ plan?: Plan, error?: Error, waiting?: boolean }} */ ({}));
  const key = JSON.stringify(body);
  useEffect(() => {
    if (!body) return setState({});
    setState({ waiting: true });
    let current = true;
    const timer = setTimeout(() => {
      api.preview(path, body).then(
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

/** `said` is what the plan means, in words. */
export function Preview({ state: { plan, error, waiting }, said }) {
  return html`<div class="preview" aria-live="polite">
    ${error && html`<p class="trouble">${error.message}</p>`} ${
      waiting && html`<p class="quiet">Looking at what would change…</p><${TokenWanted} />`
    }
    ${
      plan &&
      html`<p>${said(plan)} ${counted(plan.changes.length, 'file')} would
        change:</p><${Changes} changes=${plan.changes} />`
    }
  </div>`;
}

/** An action of a dialog: `{ act, busy, error }`; the dialog stays open if it fails. */
export function useAction(action) {
  const [state, setState] = useState({ busy: false, error: null });
  const act = async (event) => {
    event?.preventDefault();
    if (state.busy) return;
    setState({ busy: true, error: null });
    try {
      await action();
      setState({ busy: false, error: null });
    } catch (error) {
      setState({ busy: false, error });
    }
  };
  return { ...state, act };
}
