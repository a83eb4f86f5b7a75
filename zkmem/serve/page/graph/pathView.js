// The choice of two notes, and the path between them in words.
import { html, useEffect } from '../vendor/ui.js';
import { NameField } from '../common/namefield.js';
import { noteHash } from '../navigation.js';
import { graphEtag, path, pathEnds, picture, route } from '../state.js';
import { shortestPath, stepsIn } from './path.js';
import { useTypedName } from './typedName.js';

/** @import { NoteGraph } from './model.js' */

export function PathView() {
  const { from, to } = pathEnds.value;
  const graph = /** @type {NoteGraph | undefined} */ (picture.value?.renderer.getGraph());
  const [{ key: first, problem }, { key: last, problem: lastProblem }] = [
    useTypedName(graph, from),
    useTypedName(graph, to),
  ];
  const found = graph && first !== null && last !== null ? shortestPath(graph, first, last) : null;
  useEffect(() => {
    path.value = found ?? [];
  }, [first, last, graphEtag.value]);
  const set = (/** @type {Partial<typeof pathEnds.value>} */ more) => (pathEnds.value = { ...pathEnds.value, ...more });
  const begin = (/** @type {Event & { currentTarget: HTMLDetailsElement }} */ { currentTarget }) => {
    if (currentTarget.open && !from && route.value.view === 'note') set({ from: route.value.name ?? '' });
  };
  return html`<details class="controls" name="map-tools" onToggle=${begin}>
    <summary>Path</summary>
    <div class="controls-body">
      <${NameField} label="From" value=${from} onInput=${(/** @type {string} */ name) => set({ from: name })} />
      <${NameField} label="To" value=${to} onInput=${(/** @type {string} */ name) => set({ to: name })} />
      <div role="status">
        ${[problem, lastProblem].map((text) => text && html`<p class="quiet">${text}</p>`)}
        ${first !== null && last !== null && !found && html`<p class="quiet">No path of links joins them.</p>`}
        ${found && graph && html`<${Steps} steps=${stepsIn(graph, found)} />`}
      </div>
      <button type="button" class="plain" disabled=${!from && !to} onClick=${() => set({ from: '', to: '' })}>
        Clear
      </button>
    </div>
  </details>`;
}

/** @param {{ steps: ReturnType<typeof stepsIn> }} props */
function Steps({ steps }) {
  if (!steps.length) return html`<p class="quiet">These are the same note.</p>`;
  return html`<ol class="path">
    ${steps.map(
      ({ from, verb, to }) => html`<li key=${from}>
      <a href=${noteHash(from)}>${from}</a> ${verb} <a href=${noteHash(to)}>${to}</a></li>`,
    )}
  </ol>`;
}
