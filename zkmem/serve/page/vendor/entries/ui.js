// What the page's own code takes from Preact, htm and signals.
import { h } from 'preact';
import htm from 'htm';

/**
 * Make an element of a template. htm would keep each element that never changes, and with it the view that it was shown
 * in first, after that view is gone. 3 in `this[0]` says that an element may change.
 * @this {number[]}
 * @param {any} type
 * @param {any} props
 * @param {any[]} children
 */
function element(type, props, ...children) {
  this[0] = 3;
  return h(type, props, ...children);
}

export const html = htm.bind(element);
export { options, render } from 'preact';
export { useEffect, useErrorBoundary, useId, useLayoutEffect, useReducer, useRef, useState } from 'preact/hooks';
export { batch, effect, signal, untracked } from '@preact/signals';
