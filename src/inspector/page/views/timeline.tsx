// What happened at 14:02: facts of a span of time, a track per gang, and the facts of the moment
// and track that are chosen. The span is in the address; without one it is the last minutes, and
// moves.
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { FactPage, FactRow } from '#src/inspector/protocol.ts';
import { get, messageOf } from '../core/api.ts';
import { factsWanted, onFacts, onGap, serverNow } from '../core/feed.ts';
import { type Remote, useEvery, useThrottled } from '../core/remote.ts';
import { parameter, setParameter } from '../core/route.ts';
import { isoTime, span } from '../core/time.ts';
import { Problem } from '../parts/problem.tsx';
import { Rates, Tracks } from './tracks.tsx';

const spans = [1, 5, 15, 60, 360];
const usualMinutes = 15;
const minute = 60_000;
/** As many as the server gives at once, and as many as are shown. */
const pageSize = 2000;
const maxFacts = 20_000;
const moveEveryMs = 1000;
/** By which the clock of the server may be ahead of what is known of it. */
const aheadMs = 5000;

interface Span {
  readonly from: number;
  readonly to: number;
  readonly isMoving: boolean;
}

function spanNow(openedAt: number): Span {
  const minutes = Number(parameter('minutes')) || usualMinutes;
  const to = Date.parse(parameter('to'));
  if (!Number.isNaN(to)) return { from: to - minutes * minute, to, isMoving: false };
  return { from: openedAt - minutes * minute, to: openedAt, isMoving: true };
}

export function TimelineView() {
  const [openedAt] = useState(serverNow);
  const { from, to, isMoving } = spanNow(openedAt);
  const [gaps, tell] = useThrottled(moveEveryMs);
  useEffect(() => onGap(tell), []);
  const listedAt = useMemo(() => (gaps === 0 ? 0 : serverNow() + aheadMs), [gaps]);
  const until = isMoving ? Math.max(to, listedAt) : to;
  const remote = usePastFacts(Math.floor(until - (to - from)), Math.ceil(until));
  const live = useLiveFacts(isMoving);
  const turn = useEvery(moveEveryMs);
  const end = isMoving ? serverNow() : to;
  const start = end - (to - from);
  const facts = useMemo(() => {
    const newest = remote.data?.facts.at(-1)?.sequence ?? 0;
    const all = [...(remote.data?.facts ?? []), ...live.facts.filter((f) => f.sequence > newest)];
    return all.filter(({ at }) => at >= start && at <= end);
  }, [remote.data, live, turn, from, to]);
  return (
    <section class="timeline">
      <h1 class="hidden">Timeline</h1>
      <Controls end={end} minutes={Math.round((to - from) / minute)} isMoving={isMoving} />
      <Problem remote={remote} what="facts" />
      <Rates facts={facts} start={start} end={end} />
      <Tracks facts={facts} start={start} end={end} />
      <p class="quiet">
        {facts.length.toLocaleString('en')} facts
        {remote.data === undefined || remote.data.older === 'more' || remote.data.older === 'begin'
          ? ''
          : remote.data.older === 'dropped'
            ? '; older ones were dropped'
            : '; the process started in this span, and nothing older is known'}
        {live.skipped > 0 ? `; ${live.skipped} came too fast to be shown` : ''}
      </p>
    </section>
  );
}

/** A page after the other, the newest first, as far as the span reaches. */
function usePastFacts(from: number, to: number): Remote<FactPage> {
  const [known, setKnown] = useState<Remote<FactPage>>({ data: undefined, error: undefined });
  useEffect(() => {
    const left = new AbortController();
    const load = async (): Promise<void> => {
      let facts: readonly FactRow[] = [];
      for (let until = to; ;) {
        const path = `/facts?from=${from}&to=${until}&limit=${pageSize}`;
        const page = await get<FactPage>(path, left.signal);
        const seen = new Set(facts.map(({ id }) => id));
        const older = page.facts.filter(({ id }) => !seen.has(id));
        facts = [...older, ...facts];
        setKnown({ data: { ...page, facts }, error: undefined });
        until = facts[0]?.at ?? from;
        if (page.older !== 'more' || older.length === 0 || facts.length >= maxFacts) return;
      }
    };
    load().catch((error: unknown) => {
      if (!left.signal.aborted) setKnown((before) => ({ ...before, error: messageOf(error) }));
    });
    return () => left.abort();
  }, [from, to]);
  return known;
}

function useLiveFacts(isMoving: boolean): { facts: readonly FactRow[]; skipped: number } {
  const [live, setLive] = useState<{ facts: readonly FactRow[]; skipped: number }>({
    facts: [],
    skipped: 0,
  });
  useEffect(() => {
    if (!isMoving) return undefined;
    factsWanted.value = 'all';
    const end = onFacts((fresh, skipped) =>
      setLive((before) => ({
        facts: [...before.facts, ...fresh].slice(-maxFacts),
        skipped: before.skipped + skipped,
      })),
    );
    return () => {
      end();
      factsWanted.value = '';
    };
  }, [isMoving]);
  return live;
}

function Controls({ end, minutes, isMoving }: { end: number; minutes: number; isMoving: boolean }) {
  const moveTo = (to: number): void => setParameter('to', isoTime(Math.min(to, serverNow())));
  const step = (minutes * minute) / 2;
  return (
    <div class="filters" role="group" aria-label="span of time">
      <label>
        span
        <select
          value={String(minutes)}
          onChange={({ currentTarget }) => setParameter('minutes', currentTarget.value)}
        >
          {[...new Set([...spans, minutes])]
            .toSorted((a, b) => a - b)
            .map((one) => (
              <option key={one} value={String(one)}>
                {span(one * minute)}
              </option>
            ))}
        </select>
      </label>
      <label>
        until
        <input
          type="datetime-local"
          step="1"
          value={localTime(end)}
          onChange={({ currentTarget: { value } }) => {
            const to = new Date(value).getTime();
            if (!Number.isNaN(to)) moveTo(to);
          }}
        />
      </label>
      <button type="button" onClick={() => moveTo(end - step)}>
        Earlier
      </button>
      <button type="button" disabled={isMoving} onClick={() => moveTo(end + step)}>
        Later
      </button>
      <button type="button" aria-pressed={isMoving} onClick={() => setParameter('to', '')}>
        Now
      </button>
    </div>
  );
}

/** As inputs of the browser have it: local, without a zone. */
function localTime(at: number): string {
  const offset = new Date(at).getTimezoneOffset() * minute;
  return new Date(at - offset).toISOString().slice(0, 19);
}
