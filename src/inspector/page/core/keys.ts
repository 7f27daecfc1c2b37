// The keyboard. Views add their keys while they are shown; letters go to no view while somebody
// types or a dialog is open.
import { signal } from '@preact/signals';
import { isPaused } from './feed.ts';
import { go } from './route.ts';

export const isHelpShown = signal(false);

type Act = () => void;
const ofViews = new Map<string, Act[]>();

/** The newest of a key counts; the result takes it away. */
export function onKey(key: string, act: Act): () => void {
  const acts = ofViews.get(key) ?? [];
  ofViews.set(key, [...acts, act]);
  return () => {
    ofViews.set(
      key,
      (ofViews.get(key) ?? []).filter((one) => one !== act),
    );
  };
}

const places: Readonly<Record<string, string>> = {
  o: '/ui/',
  a: '/ui/actors',
  t: '/ui/trouble',
  l: '/ui/timeline',
  m: '/ui/machines',
};

const general: Readonly<Record<string, Act>> = {
  p: () => {
    isPaused.value = !isPaused.value;
  },
  '?': () => {
    isHelpShown.value = true;
  },
  '/': () => {
    const search = document.querySelector<HTMLInputElement>('#search');
    search?.focus();
    search?.select();
  },
};

/** The second key of `g a` comes within this. */
const chordMs = 1500;
let chordUntil = 0;

export function startKeys(): void {
  addEventListener('keydown', (event) => {
    const { key, ctrlKey, metaKey, altKey, target } = event;
    if (event.defaultPrevented || ctrlKey || metaKey || altKey) return;
    if (isTyping(target) || document.querySelector('dialog[open]') !== null) return;
    const isSecond = Date.now() < chordUntil;
    chordUntil = 0;
    const place = places[key];
    if (isSecond && place !== undefined) {
      event.preventDefault();
      go(place);
      return;
    }
    if (key === 'g') {
      chordUntil = Date.now() + chordMs;
      return;
    }
    const act = ofViews.get(key)?.at(-1) ?? general[key];
    if (act === undefined) return;
    event.preventDefault();
    act();
  });
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLInputElement
    ? target.type !== 'checkbox'
    : target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement;
