// Light and dark: as the system has it, until the person chooses.
import { effect, signal } from './vendor/ui.js';
import { themeChanged } from './state.js';

const KEY = 'zkmem:theme';
const ORDER = ['auto', 'light', 'dark'];
const system = matchMedia('(prefers-color-scheme: dark)');

export const theme = signal(ORDER.includes(localStorage.getItem(KEY)) ? localStorage.getItem(KEY) : 'auto');

export const nextTheme = () => (theme.value = ORDER[(ORDER.indexOf(theme.value) + 1) % ORDER.length]);

effect(() => {
  localStorage.setItem(KEY, theme.value);
  apply();
});
system.addEventListener('change', apply);

function apply() {
  const dark = theme.peek() === 'dark' || (theme.peek() === 'auto' && system.matches);
  document.documentElement.dataset.theme = dark ? 'dark' : 'light';
  themeChanged.value = themeChanged.peek() + 1;
}
