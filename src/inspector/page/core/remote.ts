// What a view asks the server for besides the rows: fetched when the view appears, again when it
// says so, and forgotten when it goes. What was shown stays until the new answer is there.
import { useEffect, useRef, useState } from 'preact/hooks';
import { get, messageOf } from './api.ts';
import { isPaused, session } from './feed.ts';

export interface Remote<T> {
  readonly data: T | undefined;
  /** Of the newest attempt. */
  readonly error: string | undefined;
}

/** After an answer that was none. */
const retryMs = 5000;

/** `again`: another value asks once more; one request is under way at a time, so that what is asked
 *  for all the time is answered too. Nothing is asked while paused, and all is asked again of a new
 *  process. */
export function useRemote<T>(path: string, again: number | string = 0): Remote<T> {
  const [known, setKnown] = useState<Remote<T> & { readonly path: string }>({
    path,
    data: undefined,
    error: undefined,
  });
  const ask = useRef(() => {});
  const isStopped = isPaused.value;
  const process = session.value?.process;
  useEffect(() => {
    if (isStopped || process === undefined) return undefined;
    const asking = keepAsking(
      async (signal) => {
        const data = await get<T>(path, signal);
        setKnown({ path, data, error: undefined });
      },
      (error) =>
        setKnown((before) => ({
          path,
          data: before.path === path ? before.data : undefined,
          error,
        })),
    );
    ask.current = asking.ask;
    return () => {
      asking.end();
      ask.current = () => {};
    };
  }, [path, isStopped, process]);
  useEffect(() => ask.current(), [path, again, isStopped, process]);
  return known.path === path ? known : { data: undefined, error: undefined };
}

function keepAsking(
  take: (signal: AbortSignal) => Promise<void>,
  fail: (error: string) => void,
): { ask: () => void; end: () => void } {
  const left = new AbortController();
  let isAsking = false;
  let isDue = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const ask = async (): Promise<void> => {
    isDue = isAsking;
    if (isAsking) return;
    clearTimeout(timer);
    isAsking = true;
    try {
      await take(left.signal);
    } catch (error) {
      if (left.signal.aborted) return;
      fail(messageOf(error));
      timer = setTimeout(() => void ask(), retryMs);
    }
    isAsking = false;
    if (isDue) await ask();
  };
  return {
    ask: () => void ask(),
    end: () => {
      left.abort();
      clearTimeout(timer);
    },
  };
}

/** Grows at once with a call of the result, and then not before the pause is over. */
export function useThrottled(pauseMs: number): readonly [number, () => void] {
  const [count, setCount] = useState(0);
  const [throttle] = useState(() => {
    let isQuiet = false;
    let isDue = false;
    const act = (): void => {
      if (isQuiet) {
        isDue = true;
        return;
      }
      isQuiet = true;
      setCount((before) => before + 1);
      setTimeout(() => {
        isQuiet = false;
        if (isDue) act();
        isDue = false;
      }, pauseMs);
    };
    return act;
  });
  return [count, throttle];
}

/** Grows with time. */
export function useEvery(ms: number): number {
  const [count, setCount] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) setCount((before) => before + 1);
    }, ms);
    return () => clearInterval(timer);
  }, [ms]);
  return count;
}
