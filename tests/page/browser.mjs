// What the page's scripts expect of a browser while they are imported.
const canvas = { measureText: (text) => ({ width: 6 * text.length }) };
const parts = {
  addEventListener() {},
  // Node's own one keeps the process alive
  BroadcastChannel: class {
    addEventListener() {}
  },
  location: new URL('http://localhost/'),
  navigator: { userAgent: '', vendor: '', platform: '' },
  history: { replaceState() {} },
  localStorage: store(),
  sessionStorage: store(),
  getComputedStyle: () => ({ getPropertyValue: () => '' }),
  matchMedia: () => ({ matches: false, addEventListener() {} }),
  document: {
    querySelector: () => null,
    querySelectorAll: () => [],
    createElement: () => ({ getContext: () => canvas }),
    documentElement: { style: {}, dataset: {} },
  },
  WebGLRenderingContext: class {},
  WebGL2RenderingContext: class {},
};
for (const [name, value] of Object.entries(parts)) Object.defineProperty(globalThis, name, { value, writable: true });

function store() {
  const values = new Map();
  return {
    getItem: (key) => values.get(key) ?? null,
    setItem: (key, value) => void values.set(key, value),
    removeItem: (key) => void values.delete(key),
  };
}

/** Return a function that returns the same numbers between 0 and 1 each time. */
export function seeded() {
  let state = 7;
  return () => ((state = (state * 48271) % 2147483647) - 1) / 2147483646;
}

/** Return the exports of a script of the page. */
export const page = (name) => import(`../../zkmem/serve/page/${name}.js`);
