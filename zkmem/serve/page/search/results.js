// The page of a search, which has an address: all hits, with their passages.
import { html, useEffect, useState } from '../vendor/ui.js';
import { ErrorMessage, Waiting, moveInList, numberOf, useChanges, useLoad } from '../common/load.js';
import { parted } from '../common/names.js';
import { useElement } from '../common/refs.js';
import { Sentence } from '../common/sentence.js';
import { go, noteHash, searchHash } from '../navigation.js';
import { HitDate, Passage, find } from './box.js';

/** @import { Hit } from './box.js' */

const STEP = 50; // hits that are shown at first, and with each click more
const MOST = 1000;
let grown = { query: '', count: STEP }; // so that a step back finds as many hits as it left

/** @param {{ query: string }} props */
export function SearchResults({ query }) {
  const [count, setCount] = useState(grown.query === query ? grown.count : STEP);
  const input = useElement(HTMLInputElement);
  const { data, error, again } = useLoad((signal) => find(query, signal, count), [query, count]);
  useChanges(again);
  useEffect(() => {
    if (!query) input.current.focus();
  }, []);
  const more = () => {
    grown = { query, count: Math.min(MOST, count + STEP) };
    setCount(grown.count);
  };
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    if (input.current.value.trim()) go(searchHash(input.current.value.trim()));
  };
  const texts = data?.hits.length ?? 0;
  const found = data && query && (data.names.length || texts) ? numberOf(data.names.length + texts, 'note') : '';
  return html`<article class="lists results">
    <h2 class="title" tabindex="-1">Search ${found && html`<span class="count">${found}</span>`}</h2>
    <form role="search" aria-label="All results" onSubmit=${submit}>
      <input ref=${input} type="search" aria-label="Words and filters" value=${query} autocomplete="off"
        maxlength="1000" spellcheck=${false} /><button type="submit" class="primary">Search</button>
    </form>
    <${ErrorMessage} error=${error} again=${again} />
    ${query && !data && !error && html`<${Waiting} />`}
    <div role="status">
      ${data?.remarks.map((one) => html`<p class="quiet" key=${one}><${Sentence} text=${one} /></p>`)}
    </div>
    <${Hits} title="Names" hits=${data?.names.map((name) => ({ name })) ?? []} />
    <${Hits} title="Text" hits=${data?.hits ?? []} />
    ${data && data.isFull && count < MOST && html`<button type="button" onClick=${more}>Show more</button>`}
    <${Hits} title="Linked from these" hits=${data?.linked.map((name) => ({ name })) ?? []} />
  </article>`;
}

/** @param {{ title: string, hits: Hit[] }} props */
function Hits({ title, hits }) {
  if (!hits.length) return null;
  return html`<section aria-label=${title}>
    <h3>${title}</h3>
    <ul class="rows" onKeyDown=${moveInList} aria-label=${title}>
      ${hits.map((hit) => {
        const { folders, last } = parted(hit.name);
        return html`<li key=${hit.name}>
          <a href=${noteHash(hit.name)} data-row>${folders && html`<small>${folders}</small>`}${last}</a>
          <${HitDate} ...${hit} /><${Passage} ...${hit} />
        </li>`;
      })}
    </ul>
  </section>`;
}
