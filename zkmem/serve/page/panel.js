// The panel beside the graph: what the address names.
import { html, useState } from './vendor/ui.js';
import { History } from './history.js';
import { Lists } from './lists.js';
import { NameField } from './namefield.js';
import { Note } from './note.js';
import { open } from './navigation.js';
import { Review } from './review.js';
import { route, vault } from './state.js';
import { Tag } from './tag.js';
import { Base } from './table.js';

export function Panel() {
  const { view, name, list } = route.value;
  if (view === 'note' && name) return html`<${Note} key=${name} name=${name} />`;
  if (view === 'list') return html`<${Lists} key=${list} list=${list} />`;
  if (view === 'tag' && list) return html`<${Tag} key=${list} tag=${list} />`;
  if (view === 'base' && name) return html`<${Base} key=${`${name} ${list}`} base=${name} view=${list ?? ''} />`;
  if (view === 'history') return html`<${History} key=${name ?? ''} name=${name} />`;
  if (view === 'review') return html`<article class="home"><${Review} /></article>`;
  return html`<${Start} />`;
}

function Start() {
  const [name, setName] = useState('');
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    if (name.trim()) open(name.trim());
  };
  return html`<article class="home">
    <p class="quiet">Choose a note in the graph, or search for one.</p>
    ${
      vault.value?.can_write &&
      html`<form onSubmit=${submit}>
      <${NameField} label="Open or create a note" value=${name} onInput=${setName}
        hint=${`With its folders, as in ${vault.value.folder || 'topics'}/vue.`} />
      <button type="submit" class="primary">Open</button>
    </form>`
    }
    <${Review} />
  </article>`;
}
