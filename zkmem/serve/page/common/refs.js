// References to elements.
import { useRef } from '../vendor/ui.js';

/**
 * Return a ref for an element of this class. The element is there from the first effect of the component on.
 * @template {Element} T
 * @param {new () => T} _class
 */
export const useElement = (_class) => useRef(/** @type {T} */ (/** @type {unknown} */ (null)));
