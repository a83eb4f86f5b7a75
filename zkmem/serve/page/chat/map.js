// The map in a chat: a note between the notes that link to it, on the left, and those that it links to, on the right.
import { html, render, useLayoutEffect, useState } from '../vendor/ui.js';
import '../common/bidi.js';
import { callTool, connect, shownIn, textOf } from './host.js';
import { cut, placed } from './layout.js';

/** @import { Near } from './layout.js' */

const root = /** @type {HTMLElement} */ (document.querySelector('main'));

/** @param {{ first: Near }} props */
function View({ first }) {
  const [path, setPath] = useState([first]); // the maps that the person has seen, this one last
  const [trouble, setTrouble] = useState('');
  const [width, setWidth] = useState(root.clientWidth);
  useLayoutEffect(() => {
    const observer = new ResizeObserver(() => setWidth(root.clientWidth));
    observer.observe(root);
    return () => observer.disconnect();
  }, []);
  const near = /** @type {Near} */ (path.at(-1));
  const before = path.at(-2);
  const back = () => setPath(path.slice(0, -1));
  const open = async (/** @type {string} */ name) => {
    setTrouble('');
    await callTool('show_map', { name }).then(
      (next) => setPath([...path, next]),
      (error) => setTrouble(error.message),
    );
    root.querySelector('h1')?.focus();
  };
  return html`<header>
      <h1 tabindex="-1">${near.name}</h1>
      ${before && html`<button type="button" onClick=${back}>Back to ${before.name}</button>`}
    </header>
    <p role=${trouble ? 'alert' : 'status'} class=${trouble ? 'error' : 'quiet'}>${trouble || aboutNear(near)}</p>
    ${near.notes.length > 0 && html`<${Drawing} near=${near} width=${width - 24} open=${open} />`}`;
}

function aboutNear(/** @type {Near} */ { notes, more }) {
  if (!notes.length) return 'No note is linked with this one.';
  return more > 0 ? `and ${more} more neighbours` : '';
}

/** @param {{ near: Near, width: number, open: (name: string) => void }} props */
function Drawing({ near, width, open }) {
  const { height, centre, places, curves } = placed(near, width);
  const label = `Notes around ${near.name}`;
  return html`<svg viewBox=${`0 0 ${width} ${height}`} height=${height} role="group" aria-label=${label}>
    ${curves.map(({ path, isNear }, at) => html`<path key=${at} d=${path} class=${isNear ? 'near' : ''} />`)}
    <text class="title" x="0" y="12">${near.notes.some(({ to }) => !to) && 'links here'}</text>
    <text class="title" x=${width} y="12" text-anchor="end">${near.notes.some(({ to }) => to) && 'links to'}</text>
    <g class="centre"><circle cx=${centre.x} cy=${centre.y} r="9" />
      <text x=${centre.x} y=${centre.y + 26} text-anchor="middle">${cut(near.name, width / 3)}</text></g>
    ${places.map(({ x, y, radius, isLeft, room }, at) => {
      const { name, missing, to, from } = near.notes[at];
      const how = [to && 'linked from here', from && 'links here', missing && 'no such note yet']
        .filter(Boolean)
        .join(', ');
      const press = missing
        ? {}
        : {
            tabindex: 0,
            role: 'button',
            onClick: () => open(name),
            onKeyDown: (/** @type {KeyboardEvent} */ event) => {
              if (event.key !== 'Enter' && event.key !== ' ') return;
              event.preventDefault();
              open(name);
            },
          };
      return html`<g key=${name} class=${missing ? 'missing' : ''} aria-label=${`${name}: ${how}`} ...${press}>
        <title>${name}</title>
        <rect x=${isLeft ? 0 : x - 10} y=${y - 12} width=${room + 20} height="24" fill="transparent" />
        <circle cx=${x} cy=${y} r=${radius} />
        <text x=${x + (isLeft ? -12 : 12)} y=${y + 4} text-anchor=${isLeft ? 'end' : 'start'}>${cut(name, room)}</text>
      </g>`;
    })}
  </svg>`;
}

connect('map', (result) => {
  const shown = shownIn(result);
  root.removeAttribute('aria-busy');
  root.replaceChildren();
  if (shown) render(html`<${View} first=${shown} />`, root);
  else root.append(Object.assign(document.createElement('pre'), { textContent: textOf(result) }));
});
