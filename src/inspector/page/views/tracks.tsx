// The lower half of the timeline: how many facts there were when, a track per gang, and the facts
// of the track that is chosen.
import { useMemo } from 'preact/hooks';
import type { FactRow } from '#src/inspector/protocol.ts';
import { toneOfFact } from '../core/facts.ts';
import { linkToActor, parameter, setParameter } from '../core/route.ts';
import { type Tone, tones } from '../core/states.ts';
import { clock } from '../core/time.ts';
import { trackOf } from '../core/tracks.ts';
import { FactLine, factHeight } from '../parts/fact.tsx';
import { List, movedBy } from '../parts/list.tsx';
import { Plot } from '../parts/plot.tsx';

/** Of a track, side by side. */
const slots = 120;
const trackHeight = 22;

interface InSpan {
  readonly facts: readonly FactRow[];
  readonly start: number;
  readonly end: number;
}

const slotOf = (at: number, { start, end }: InSpan): number =>
  Math.min(slots - 1, Math.max(0, Math.floor(((at - start) / (end - start)) * slots)));

export function Rates(all: InSpan) {
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

export function Tracks(all: InSpan) {
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
