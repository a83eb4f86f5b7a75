// The shell: puts the parts of the page together.
import { html, render } from './vendor/ui.js';
import { api } from './api.js';
import { Panel } from './panel.js';
import { vault } from './state.js';

function App() {
  return html`<main id="graph"></main><aside id="panel"><${Panel} /></aside>`;
}

render(html`<${App} />`, document.body);
vault.value = await api.get('vault');
