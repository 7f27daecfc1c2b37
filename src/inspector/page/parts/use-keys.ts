// The keys of a view, from before it is painted: whoever sees it may press them.
import { useLayoutEffect } from 'preact/hooks';
import { onKey } from '../core/keys.ts';

/** While the view is shown. `act` is that of the last drawing. */
export function useKeys(keys: readonly string[], act: (key: string) => void): void {
  useLayoutEffect(() => {
    const ends = keys.map((key) => onKey(key, () => act(key)));
    return () => ends.forEach((end) => end());
  });
}
