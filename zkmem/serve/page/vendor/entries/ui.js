// What the page's own code takes from Preact, htm and signals.
import { h } from 'preact';
import htm from 'htm';

export const html = htm.bind(h);
export { options, render } from 'preact';
export { useEffect, useErrorBoundary, useId, useLayoutEffect, useReducer, useRef, useState } from 'preact/hooks';
export { batch, effect, signal, untracked } from '@preact/signals';
