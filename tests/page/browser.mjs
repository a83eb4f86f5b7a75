// What the page's scripts expect of a browser while they are imported.
globalThis.addEventListener = () => {};
globalThis.location = new URL('http://localhost/');
globalThis.WebGLRenderingContext = globalThis.WebGL2RenderingContext = class {};

/** Return a function that returns the same numbers between 0 and 1 each time. */
export function seeded() {
  let state = 7;
  return () => ((state = (state * 48271) % 2147483647) - 1) / 2147483646;
}

/** Return the exports of a script of the page. */
export const page = (name) => import(`../../zkmem/serve/page/${name}.js`);
