// Dark or light: as the system prefers, until the user says otherwise.
import { effect, signal } from '@preact/signals';

type Theme = 'dark' | 'light';

const storedAs = 'coppice.theme';
const preferred = matchMedia('(prefers-color-scheme: light)');
const chosen = signal(localStorage.getItem(storedAs));
const system = signal<Theme>(preferred.matches ? 'light' : 'dark');
preferred.addEventListener('change', ({ matches }) => {
  system.value = matches ? 'light' : 'dark';
});

export const themeNow = (): Theme =>
  chosen.value === 'dark' || chosen.value === 'light' ? chosen.value : system.value;

export function toggleTheme(): void {
  chosen.value = themeNow() === 'dark' ? 'light' : 'dark';
  localStorage.setItem(storedAs, chosen.value);
}

export function startTheme(): void {
  effect(() => {
    document.documentElement.dataset['theme'] = themeNow();
  });
}
