// The middle of the page: what the address names.
import { html, useLayoutEffect } from '../vendor/ui.js';
import { Home } from '../vault/home.js';
import { arriveAtView } from '../note/places.js';
import { address, route } from '../state.js';
import { View, parts } from './later.js';

export function Panel() {
  useLayoutEffect(arriveAtView, [address.value.position, parts.value]);
  return route.value.view ? html`<${View} />` : html`<${Home} />`;
}
