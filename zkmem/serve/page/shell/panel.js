// The middle of the page: what the address names.
import { html, useLayoutEffect } from '../vendor/ui.js';
import { Home } from '../vault/home.js';
import { arriveAtView } from '../note/places.js';
import { address, route } from '../state.js';
import { View, parts } from './later.js';

export function Panel() {
  useLayoutEffect(arriveAtView, [address.value.position, parts.value]);
  // the view gets the route, so that it is rendered together with this, before the effect
  return route.value.view ? html`<${View} route=${route.value} />` : html`<${Home} />`;
}
