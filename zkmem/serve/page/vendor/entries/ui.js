// What the page's own code takes from Preact, htm and signals.
import { h } from 'preact';
import htm from 'htm';
import { closed, setsDirection } from '../../bidi.js';

/**
 * Return a child of an element; a text that sets a direction of writing gets an element of its own.
 * @type {(child: any) => any}
 */
const separate = (child) => {
  if (Array.isArray(child)) return child.map(separate);
  return typeof child === 'string' && setsDirection(child) ? h('bdi', null, closed(child)) : child;
};

/** @type {(type: any, props: any, ...children: any[]) => import('preact').VNode<any>} */
const element = (type, props, ...children) => h(type, props, ...children.map(separate));

const built = htm.bind(element);

/** @type {typeof built} */
export const html = (strings, ...values) => separate(built(strings, ...values)); // a template may have only a text
export { render } from 'preact';
export { useEffect, useErrorBoundary, useId, useLayoutEffect, useReducer, useRef, useState } from 'preact/hooks';
export { batch, effect, signal, untracked } from '@preact/signals';
