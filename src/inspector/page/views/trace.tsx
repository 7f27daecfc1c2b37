// What caused this, and what did this edit cause: the facts of a trace as a tree of causes, with a
// waterfall of when each happened beside it.
import { useEffect, useMemo } from 'preact/hooks';
import type { FactRow, TracePage } from '#src/inspector/protocol.ts';
import { byCause, durationOf, editOf, type Placed, sayFact, toneOfFact } from '../core/facts.ts';
import { factsWanted, onFacts, onGap } from '../core/feed.ts';
import { useRemote, useThrottled } from '../core/remote.ts';
import { clock, duration, isoTime } from '../core/time.ts';
import { ActorLink, FactWord, factHeight } from '../parts/fact.tsx';
import { List, useCursor } from '../parts/list.tsx';
import { Problem } from '../parts/problem.tsx';

const askAgainMs = 1000;

export function TraceView({ id }: { id: string }) {
  const [news, tell] = useThrottled(askAgainMs);
  useEffect(() => {
    factsWanted.value = 'all';
    const ends = [
      onFacts((facts, skipped) => {
        if (skipped > 0 || facts.some(({ trace }) => trace === id)) tell();
      }),
      onGap(tell),
    ];
    return () => {
      ends.forEach((end) => end());
      factsWanted.value = '';
    };
  }, [id]);
  const remote = useRemote<TracePage>(`/traces/${encodeURIComponent(id)}`, news);
  const placed = useMemo(() => byCause(remote.data?.facts ?? []), [remote.data]);
  return (
    <section class="trace">
      <h1>
        Trace <span class="id">{id}</span>
      </h1>
      <Problem remote={remote} what="trace" />
      {remote.data !== undefined && <Whole page={remote.data} placed={placed} />}
    </section>
  );
}

function Whole({ page, placed }: { page: TracePage; placed: readonly Placed[] }) {
  const [first] = page.facts;
  const start = Math.min(...page.facts.map((fact) => fact.at - durationOf(fact)));
  const end = Math.max(...page.facts.map(({ at }) => at));
  const actors = new Set(page.facts.map(({ about }) => about)).size;
  if (first === undefined) return <p class="quiet">No fact of it is known any more.</p>;
  return (
    <>
      <p>
        {page.facts.length} facts of {actors} actors in {duration(end - start)}, from{' '}
        <time dateTime={isoTime(start)}>{clock(start)}</time>.
        {page.isWhole ? '' : ' Some of it is missing: facts were dropped, or are not yours to see.'}
        {(page.missing ?? []).length > 0 && ` Did not answer: ${page.missing?.join(', ')}.`}
      </p>
      <Begin fact={first} />
      <Waterfall placed={placed} start={start} length={Math.max(1, end - start)} />
    </>
  );
}

/** Who edited what: what all the rest follows from. */
function Begin({ fact }: { fact: FactRow }) {
  const edit = editOf(fact);
  if (edit === undefined) {
    return (
      <p class="begin">
        <span class="dim">began with</span> {sayFact(fact)} <span class="dim">of</span>{' '}
        <span class="id">{fact.about}</span>
      </p>
    );
  }
  return (
    <dl class="begin">
      <div>
        <dt>edited by</dt>
        <dd class="id">{edit.manager}</dd>
      </div>
      <div>
        <dt>operation</dt>
        <dd>{edit.operation}</dd>
      </div>
      <div>
        <dt>at</dt>
        <dd>{edit.at || 'not known'}</dd>
      </div>
      <div>
        <dt>changed</dt>
        <dd class="id">{edit.changed}</dd>
      </div>
    </dl>
  );
}

interface WaterfallProps {
  readonly placed: readonly Placed[];
  readonly start: number;
  /** In milliseconds. */
  readonly length: number;
}

function Waterfall({ placed, start, length }: WaterfallProps) {
  const { cursor, onKeyDown } = useCursor(placed.length);
  return (
    <>
      <div class="head trace-row" aria-hidden="true">
        <span>fact</span>
        <span>actor</span>
        <span>what</span>
        <span class="number">after</span>
        <span class="scale">
          <span>0</span>
          <span>{duration(length)}</span>
        </span>
      </div>
      <List
        count={placed.length}
        rowHeight={factHeight}
        cursor={cursor}
        class="fill"
        keyOf={(index) => placed[index]?.fact.id ?? ''}
        row={(index) => (
          <TraceLine
            placed={placed[index]}
            start={start}
            length={length}
            index={index}
            isHere={index === cursor}
          />
        )}
        box={{
          role: 'treegrid',
          'aria-label': 'facts by cause',
          'aria-rowcount': placed.length,
          ...(cursor >= 0 ? { 'aria-activedescendant': `fact-${cursor}` } : {}),
          onKeyDown,
        }}
      />
    </>
  );
}

/** Of indents in the styles. */
const maxDepth = 12;
const barUnits = 1000;
const leastBar = 6;

interface TraceLineProps {
  readonly placed: Placed | undefined;
  readonly start: number;
  readonly length: number;
  readonly index: number;
  readonly isHere: boolean;
}

function TraceLine({ placed, start, length, index, isHere }: TraceLineProps) {
  if (placed === undefined) return null;
  const { fact, depth } = placed;
  const took = durationOf(fact);
  const scaled = (ms: number): number => (ms / length) * barUnits;
  const width = Math.max(leastBar, scaled(took));
  const x = Math.min(barUnits - width, scaled(fact.at - took - start));
  return (
    <div
      id={`fact-${index}`}
      role="row"
      class={`trace-row${isHere ? ' here' : ''}`}
      aria-level={depth + 1}
      aria-rowindex={index + 1}
    >
      <span role="gridcell" class={`name depth-${Math.min(depth, maxDepth)}`}>
        <FactWord fact={fact} />
      </span>
      <span role="gridcell">
        <ActorLink id={fact.about} />
      </span>
      <span role="gridcell" class="saying" title={sayFact(fact)}>
        {sayFact(fact)}
      </span>
      <span role="gridcell" class="number dim">
        {fact.at === start ? '0' : `+${duration(fact.at - start)}`}
      </span>
      <span role="gridcell" class="bar">
        <svg viewBox={`0 0 ${barUnits} 10`} preserveAspectRatio="none" aria-hidden="true">
          <rect class={toneOfFact(fact)} x={x} y="1" width={width} height="8" />
        </svg>
        <span class="hidden">{took > 0 ? `took ${duration(took)}` : 'a moment'}</span>
      </span>
    </div>
  );
}
