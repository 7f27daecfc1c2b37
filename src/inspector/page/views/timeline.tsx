// What happened at 14:02: facts of a span of time, a track per gang, and the facts of the moment
// and track that are chosen. The span is in the address; without one it is the last minutes, and
// moves.
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { FactPage, FactRow } from '#src/inspector/protocol.ts';
import { toneOfFact } from '../core/facts.ts';
import { factsWanted, onFacts, serverNow } from '../core/feed.ts';
import { useEvery, useRemote } from '../core/remote.ts';
import { linkToActor, parameter, setParameter } from '../core/route.ts';
import { type Tone, tones } from '../core/states.ts';
import { clock, isoTime, span } from '../core/time.ts';
import { trackOf } from '../core/tracks.ts';
import { FactLine, factHeight } from '../parts/fact.tsx';
import { List, movedBy } from '../parts/list.tsx';
import { Plot } from '../parts/plot.tsx';
import { Problem } from '../parts/problem.tsx';

const spans = [1, 5, 15, 60, 360];
const usualMinutes = 15;
const minute = 60_000;
/** Of a track, side by side. */
const slots = 120;
const trackHeight = 22;
const maxFacts = 20_000;
const moveEveryMs = 1000;

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
  const path = `/facts?from=${Math.floor(from)}&to=${Math.ceil(to)}&limit=${maxFacts}`;
  const remote = useRemote<FactPage>(path);
  const live = useLiveFacts(isMoving);
  const turn = useEvery(moveEveryMs);
  const end = isMoving ? serverNow() : to;
  const start = end - (to - from);
  const facts = useMemo(() => {
    const newest = remote.data?.facts.at(-1)?.sequence ?? 0;
    const all = [...(remote.data?.facts ?? []), ...live.facts.filter((f) => f.sequence > newest)];
    return all.filter(({ at }) => at >= start && at <= end);
  }, [remote.data, live, turn, path]);
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

interface InSpan {
  readonly facts: readonly FactRow[];
  readonly start: number;
  readonly end: number;
}

const slotOf = (at: number, { start, end }: InSpan): number =>
  Math.min(slots - 1, Math.max(0, Math.floor(((at - start) / (end - start)) * slots)));

function Rates(all: InSpan) {
  const { facts, start, end } = all;
  const { times, values } = useMemo(() => {
    const counts = Array.from({ length: slots }, () => 0);
    for (const { at } of facts) {
      const slot = slotOf(at, all);
      counts[slot] = (counts[slot] ?? 0) + 1;
    }
    const width = (end - start) / slots;
    return {
      times: counts.map((_, slot) => start + (slot + 0.5) * width),
      values: counts.map((count) => count / (width / 1000)),
    };
  }, [facts]);
  return (
    <figure>
      <figcaption>Facts per second</figcaption>
      <Plot label="facts per second" height={90} times={times} values={values} />
    </figure>
  );
}

interface Slot {
  readonly slot: number;
  readonly tone: Tone;
  readonly count: number;
}

interface Track {
  readonly id: string;
  readonly count: number;
  readonly worst: Tone;
  readonly slots: readonly Slot[];
}

function tracksOf(all: InSpan): readonly Track[] {
  const known = new Map<string, string>();
  const tracks = Map.groupBy(all.facts, ({ about }) => {
    const track = known.get(about) ?? trackOf(about);
    known.set(about, track);
    return track;
  });
  return [...tracks]
    .map(([id, facts]): Track => {
      const bySlot = Map.groupBy(facts, ({ at }) => slotOf(at, all));
      const worstOf = (some: readonly FactRow[]): Tone =>
        tones.find((tone) => some.some((fact) => toneOfFact(fact) === tone)) ?? 'idle';
      return {
        id,
        count: facts.length,
        worst: worstOf(facts),
        slots: [...bySlot].map(([slot, some]) => ({
          slot,
          tone: worstOf(some),
          count: some.length,
        })),
      };
    })
    .toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

function Tracks(all: InSpan) {
  const { facts, start, end } = all;
  const tracks = useMemo(() => tracksOf(all), [facts]);
  const chosen = parameter('track');
  const cursor = tracks.findIndex(({ id }) => id === chosen);
  const move = (key: string): boolean => {
    const to = movedBy(key, cursor, tracks.length);
    if (to !== undefined) setParameter('track', tracks[to]?.id ?? '');
    return to !== undefined;
  };
  return (
    <>
      <div class="head track-row" aria-hidden="true">
        <span>gang</span>
        <span class="number">facts</span>
        <span class="scale">
          <span>{clock(start).slice(0, 8)}</span>
          <span>{clock((start + end) / 2).slice(0, 8)}</span>
          <span>{clock(end).slice(0, 8)}</span>
        </span>
      </div>
      <List
        count={tracks.length}
        rowHeight={trackHeight}
        cursor={cursor}
        class="tracks"
        keyOf={(index) => tracks[index]?.id ?? ''}
        row={(index) => <TrackLine track={tracks[index]} isHere={index === cursor} index={index} />}
        box={{
          role: 'listbox',
          'aria-label': 'gangs',
          ...(cursor >= 0 ? { 'aria-activedescendant': `track-${cursor}` } : {}),
          onKeyDown: (event: KeyboardEvent) => {
            if (move(event.key)) event.preventDefault();
          },
        }}
      />
      {chosen !== '' && <Chosen track={chosen} facts={facts} />}
    </>
  );
}

interface TrackLineProps {
  readonly track: Track | undefined;
  readonly isHere: boolean;
  readonly index: number;
}

function TrackLine({ track, isHere, index }: TrackLineProps) {
  if (track === undefined) return null;
  const [kind = '', , name = ''] = track.id.split('/');
  return (
    <div
      id={`track-${index}`}
      role="option"
      aria-selected={isHere}
      class={`track-row${isHere ? ' here' : ''}`}
      onClick={() => setParameter('track', isHere ? '' : track.id)}
    >
      <span class="name">
        <span class="id">{name}</span> <span class="dim">{kind}</span>
      </span>
      <span class="number dim">{track.count}</span>
      <svg viewBox={`0 0 ${slots} 10`} preserveAspectRatio="none" aria-hidden="true">
        {track.slots.map(({ slot, tone }) => (
          <rect key={slot} class={tone} x={slot + 0.1} y="1" width="0.8" height="8" />
        ))}
      </svg>
    </div>
  );
}

const maxListed = 2000;

function Chosen({ track, facts }: { track: string; facts: readonly FactRow[] }) {
  const own = useMemo(
    () =>
      facts
        .filter(({ about }) => trackOf(about) === track)
        .slice(-maxListed)
        .toReversed(),
    [facts, track],
  );
  return (
    <>
      <h2>
        Facts of <a href={linkToActor(track)}>{track}</a>, newest first
      </h2>
      <List
        count={own.length}
        rowHeight={factHeight}
        cursor={-1}
        class="fill facts"
        keyOf={(index) => own[index]?.id ?? ''}
        row={(index) => {
          const fact = own[index];
          return fact === undefined ? null : <FactLine fact={fact} withActor />;
        }}
        box={{ role: 'list', 'aria-label': 'facts' }}
      />
    </>
  );
}
