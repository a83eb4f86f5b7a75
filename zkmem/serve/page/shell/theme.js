// Light and dark: like the system, until the person chooses.
import { effect } from '../vendor/ui.js';
import { theme, themeChanges } from '../state.js';

const KEY = 'zkmem:theme';
const ORDER = /** @type {const} */ (['auto', 'light', 'dark']);
const system = matchMedia('(prefers-color-scheme: dark)');

theme.value = ORDER.find((one) => one === localStorage.getItem(KEY)) ?? 'auto';

/** Go on to the next choice of colours. */
export const nextTheme = () => (theme.value = ORDER[(ORDER.indexOf(theme.value) + 1) % ORDER.length]);

effect(() => {
  localStorage.setItem(KEY, theme.value);
  apply();
});
system.addEventListener('change', apply);

function apply() {
  const dark = theme.peek() === 'dark' || (theme.peek() === 'auto' && system.matches);
  document.documentElement.dataset.theme = dark ? 'dark' : 'light';
  const raised = getComputedStyle(document.documentElement).getPropertyValue('--raised');
  for (const bar of document.querySelectorAll('meta[name="theme-color"]')) bar.setAttribute('content', raised);
  themeChanges.value = themeChanges.peek() + 1;
}
