// The mark of a state: a colour and a shape, so that it can be told without the colour.
import { type Tone, toneNames } from '../core/states.ts';

const shapes: Readonly<Record<Tone, string>> = {
  good: 'M5 1a4 4 0 1 0 0 8a4 4 0 1 0 0-8Z',
  progress: 'M5 1a4 4 0 1 0 0 8a4 4 0 1 0 0-8Zm0 1.4a2.6 2.6 0 0 1 0 5.2Z',
  idle: 'M5 1a4 4 0 1 0 0 8a4 4 0 1 0 0-8Zm0 1.4a2.6 2.6 0 1 1 0 5.2a2.6 2.6 0 1 1 0-5.2Z',
  warn: 'M5 .6 9.6 9.2H.4Z',
  bad: 'M1 1H9V9H1Z',
  parked: 'M1.2 1H4V9H1.2ZM6 1H8.8V9H6Z',
};

/** `isNamed`: it stands alone, without a word beside it. */
export function Mark({ tone, isNamed = false }: { tone: Tone; isNamed?: boolean }) {
  return (
    <svg
      class={`mark ${tone}`}
      viewBox="0 0 10 10"
      {...(isNamed ? { role: 'img', 'aria-label': toneNames[tone] } : { 'aria-hidden': 'true' })}
    >
      <path d={shapes[tone]} fill-rule="evenodd" />
    </svg>
  );
}
