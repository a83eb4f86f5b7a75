// A button that opens a menu: arrows, Home and End move in it, Escape and a click beside it close it.
import { html, useId, useLayoutEffect, useState } from '../vendor/ui.js';
import { useElement } from './refs.js';

/** @import { ComponentChildren } from '../vendor/ui.js' */

/**
 * @typedef {object} Item
 * @property {string} text
 * @property {() => void} [act]
 * @property {string} [href] an address, in place of `act`
 * @property {boolean} [checked] of an item that is one of several choices
 * @property {boolean} [danger]
 * @typedef {{ label?: string, items: Item[] }} Group a group with a label is a choice; its items are in one line
 */

/**
 * @param {{ label: string, groups: Group[], children: ComponentChildren }} props
 */
export function Menu({ label, groups, children }) {
  const [isOpen, setOpen] = useState(false);
  const box = useElement(HTMLDivElement);
  const button = useElement(HTMLButtonElement);
  const id = useId();
  const items = () => /** @type {HTMLElement[]} */ ([...box.current.querySelectorAll('[role^=menuitem]')]);
  useLayoutEffect(() => {
    if (isOpen) items()[0]?.focus({ preventScroll: true });
  }, [isOpen]);
  const close = () => {
    button.current.focus({ preventScroll: true });
    setOpen(false);
  };
  const onKeyDown = (/** @type {KeyboardEvent} */ event) => {
    const next = isOpen ? nextItem(items(), event.key) : null;
    if (next) next.focus();
    else if (event.key === 'Escape' && isOpen) close();
    else if (event.key === 'ArrowDown' && !isOpen) setOpen(true);
    else if (event.key === 'Tab' && isOpen) return setOpen(false);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const onFocusOut = (/** @type {FocusEvent} */ { relatedTarget }) => {
    if (!(relatedTarget instanceof Node) || !box.current.contains(relatedTarget)) setOpen(false);
  };
  const choose = (/** @type {Item} */ { act }) => {
    close();
    act?.();
  };
  return html`<div class="menu" ref=${box} onKeyDown=${onKeyDown} onFocusOut=${onFocusOut}>
    <button type="button" ref=${button} aria-haspopup="menu" aria-expanded=${isOpen} aria-controls=${id}
      aria-label=${label} title=${label} onClick=${() => setOpen(!isOpen)}>${children}</button>
    <div role="menu" id=${id} aria-label=${label} hidden=${!isOpen}>
      ${isOpen && groups.map((group, at) => html`<${Items} key=${at} group=${group} choose=${choose} />`)}
    </div>
  </div>`;
}

/** @param {{ group: Group, choose: (item: Item) => void }} props */
function Items({ group: { label, items }, choose }) {
  return html`<div role="group" class=${label ? 'choices' : undefined} aria-label=${label}>
    ${label && html`<span aria-hidden="true">${label}</span>`}
    ${items.map((item) => {
      const { text, href, checked, danger } = item;
      const about = {
        role: checked === undefined ? 'menuitem' : 'menuitemradio',
        'aria-checked': checked,
        tabindex: -1,
        class: danger ? 'danger' : undefined,
        onClick: () => choose(item),
      };
      return href
        ? html`<a key=${text} href=${href} ...${about}><span>${text}</span></a>`
        : html`<button type="button" key=${text} ...${about}><span>${text}</span></button>`;
    })}
  </div>`;
}

/** Return the item that a key leads to; null if the key does not move in the menu. */
function nextItem(/** @type {HTMLElement[]} */ items, /** @type {string} */ key) {
  const at = items.findIndex((item) => item === document.activeElement);
  const by = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[key];
  if (by) return items[(at + by + items.length) % items.length];
  if (key === 'Home') return items[0];
  if (key === 'End') return items[items.length - 1];
  if (key.length !== 1 || key === ' ') return null;
  const after = [...items.slice(at + 1), ...items.slice(0, at + 1)];
  return after.find((item) => item.textContent?.toLowerCase().startsWith(key.toLowerCase())) ?? null;
}
