// What happened to an actor, newest first; more is fetched as the end comes into view, until it is
// said where history ends and why.
import { useEffect, useRef, useState } from 'preact/hooks';
import type { FactRow, HistoryPage } from '#src/inspector/protocol.ts';
import { get, messageOf } from '../core/api.ts';
import { pathOfActor } from '../core/route.ts';
import type { TabProps } from '../core/tab.ts';
import { onGap, session } from '../core/feed.ts';
import { useThrottled } from '../core/remote.ts';
import { clock } from '../core/time.ts';
import { FactLine, factHeight } from '../parts/fact.tsx';
import { List, useCursor } from '../parts/list.tsx';

const pageSize = 100;
const askAgainMs = 1000;

interface Known {
  /** Newest first. */
  readonly facts: readonly FactRow[];
  readonly older: HistoryPage['older'];
  /** Where the next page is in the stream of NATS; undefined: the process remembers it itself. */
  readonly stream: number | undefined;
  readonly error: string | undefined;
  readonly isAsking: boolean;
}

const none: Known = {
  facts: [],
  older: 'more',
  stream: undefined,
  error: undefined,
  isAsking: false,
};

/** Of the next page, as a part of the query. */
function placeOf({ facts, stream }: Known): string {
  if (stream !== undefined) return `&stream=${stream}`;
  const oldest = facts.at(-1);
  return oldest === undefined ? '' : `&before=${oldest.sequence}`;
}

function endOf(older: HistoryPage['older']): string {
  const started = session.value === undefined ? '' : ` at ${clock(session.value.startedAt)}`;
  switch (older) {
    case 'more':
      return 'asks for more';
    case 'begin':
      return 'The life of this actor began here.';
    case 'dropped':
      return 'Older facts were dropped: the process keeps the last 20,000 of all actors.';
    case 'restarted':
      return `The process started${started}: without a stream of NATS nothing older is known.`;
  }
}

/** What is known, and how more of it is asked for. */
function useHistory(id: string): readonly [Known, () => Promise<void>] {
  const [known, setKnown] = useState<Known>(none);
  const asking = useRef(new AbortController());
  /** What comes behind those facts; what is shown stays until the answer is there. */
  const load = async ({ facts, ...before }: Known): Promise<void> => {
    if (before.isAsking || before.older !== 'more') return;
    const { signal } = asking.current;
    setKnown((shown) => ({ ...shown, isAsking: true }));
    try {
      const place = placeOf({ facts, ...before });
      const path = `/actors/${pathOfActor(id)}/history?limit=${pageSize}${place}`;
      const { older, stream, ...page } = await get<HistoryPage>(path, signal);
      if (signal.aborted) return;
      const all = [...facts, ...page.facts];
      setKnown({ facts: all, older, stream, error: undefined, isAsking: false });
    } catch (error) {
      if (signal.aborted) return;
      setKnown((shown) => ({ ...shown, error: messageOf(error), isAsking: false }));
    }
  };
  const [gaps, tell] = useThrottled(askAgainMs);
  useEffect(() => onGap(tell), []);
  useEffect(() => setKnown(none), [id]);
  useEffect(() => {
    void load(none);
    return () => {
      asking.current.abort();
      asking.current = new AbortController();
    };
  }, [id, gaps]);
  return [known, () => load(known)];
}

export function History({ id, facts: live }: TabProps) {
  const [known, load] = useHistory(id);
  const newest = known.facts[0]?.sequence ?? 0;
  const fresh = live.filter(({ sequence }) => sequence > newest).toReversed();
  const all = [...fresh, ...known.facts];
  const { cursor, onKeyDown } = useCursor(all.length);
  return (
    <>
      <List
        count={all.length}
        rowHeight={factHeight}
        cursor={cursor}
        class="fill facts"
        keyOf={(index) => all[index]?.id ?? ''}
        row={(index) => {
          const fact = all[index];
          return fact === undefined ? null : <FactLine fact={fact} withActor={false} />;
        }}
        box={{ role: 'list', 'aria-label': 'history', onKeyDown }}
        onEnd={() => void load()}
      />
      <p class={known.error === undefined ? 'quiet' : 'problem'} role="status">
        {known.error ?? endOf(known.older)}
        {known.error !== undefined && (
          <button type="button" onClick={() => void load()}>
            Try again
          </button>
        )}
      </p>
    </>
  );
}
