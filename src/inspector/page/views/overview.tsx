// Is anything wrong: what is parked, what waits after an error, how the API server answers, how old
// the watches are, who owns what; and of each kind how many actors are in which state.
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Overview } from '#src/inspector/protocol.ts';
import { shards } from '../core/feed.ts';
import { type Remote, useEvery, useRemote } from '../core/remote.ts';
import { allRows, changes, rowCount } from '../core/rows.ts';
import { isRestarting, type Tone } from '../core/states.ts';
import { again, age, clock, span, tick } from '../core/time.ts';
import { Mark } from '../parts/mark.tsx';
import { Plot } from '../parts/plot.tsx';
import { Problem } from '../parts/problem.tsx';
import { Kinds } from './kinds.tsx';

const askEveryMs = 2000;
/** Of the line of writes. */
const maxPoints = 300;
/** A watch that says nothing for so long, bookmarks neither, is worth a look. */
const oldWatchMs = 5 * 60_000;

export function OverviewView() {
  const remote = useRemote<Overview>('/overview', useEvery(askEveryMs));
  return (
    <section class="overview">
      <h1 class="hidden">Overview</h1>
      <Figures overview={remote.data} />
      <Problem remote={remote} what="figures" />
      <div class="columns">
        <div>
          <Kinds />
          <BackOffs overview={remote.data} />
        </div>
        <div>
          <Writes remote={remote} />
          <Answers overview={remote.data} />
          <Shards />
          <Watches overview={remote.data} />
        </div>
      </div>
    </section>
  );
}

interface Figure {
  readonly name: string;
  readonly value: string;
  readonly tone: Tone;
  readonly href?: string;
}

function Figures({ overview }: { overview: Overview | undefined }) {
  void changes.value;
  let parked = 0;
  let restarting = 0;
  for (const row of allRows()) {
    if (row.isParked) parked++;
    else if (isRestarting(row)) restarting++;
  }
  const backingOff = overview?.backingOff.length ?? 0;
  const answers = overview?.answers ?? {};
  const oldest = Math.max(0, ...(overview?.watches ?? []).map(({ ageMs }) => ageMs));
  const vacant = shards.value.filter(({ holder }) => holder === '').length;
  const number = (value: number): string => value.toLocaleString('en');
  const figures: readonly Figure[] = [
    { name: 'actors', value: number(rowCount()), tone: 'good', href: '/ui/actors' },
    {
      name: 'parked',
      value: number(parked),
      tone: parked > 0 ? 'parked' : 'good',
      href: '/ui/trouble',
    },
    {
      name: 'restarting',
      value: number(restarting),
      tone: restarting > 0 ? 'bad' : 'good',
      href: '/ui/trouble',
    },
    { name: 'backing off', value: number(backingOff), tone: backingOff > 0 ? 'warn' : 'good' },
    { name: '409', value: number(answers['409'] ?? 0), tone: 'idle' },
    {
      name: '429',
      value: number(answers['429'] ?? 0),
      tone: (answers['429'] ?? 0) > 0 ? 'warn' : 'good',
    },
    { name: 'writes/s', value: (overview?.writesPerSecond ?? 0).toFixed(1), tone: 'idle' },
    { name: 'oldest watch', value: span(oldest), tone: oldest > oldWatchMs ? 'warn' : 'good' },
    { name: 'shards vacant', value: number(vacant), tone: vacant > 0 ? 'bad' : 'good' },
  ];
  return (
    <dl class="figures">
      {figures.map(({ name, value, tone, href }) => (
        <div key={name} class={tone}>
          <dt>
            <Mark tone={tone} />
            {href === undefined ? name : <a href={href}>{name}</a>}
          </dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function BackOffs({ overview }: { overview: Overview | undefined }) {
  const backingOff = overview?.backingOff ?? [];
  return (
    <table>
      <caption>Writes that wait after an error</caption>
      <thead>
        <tr>
          <th scope="col">object</th>
          <th scope="col">error</th>
          <th scope="col" class="number">
            again
          </th>
        </tr>
      </thead>
      <tbody>
        {backingOff.map(({ object, code, until }) => (
          <tr key={object}>
            <td class="id">{object}</td>
            <td class="bad">{code}</td>
            <td class="number">{again(until)}</td>
          </tr>
        ))}
        {backingOff.length === 0 && (
          <tr>
            <td colSpan={3} class="dim">
              none
            </td>
          </tr>
        )}
      </tbody>
    </table>
  );
}

interface Points {
  readonly times: readonly number[];
  readonly values: readonly number[];
}

function Writes({ remote: { data } }: { remote: Remote<Overview> }) {
  const [points, setPoints] = useState<Points>({ times: [], values: [] });
  const newest = useRef<Overview | undefined>(undefined);
  useEffect(() => {
    if (data === undefined || newest.current === data) return;
    newest.current = data;
    setPoints(({ times, values }) => ({
      times: [...times, Date.now()].slice(-maxPoints),
      values: [...values, data.writesPerSecond].slice(-maxPoints),
    }));
  }, [data]);
  return (
    <figure>
      <figcaption>Writes per second, since this view was opened</figcaption>
      <Plot label="writes per second" height={120} {...points} />
    </figure>
  );
}

/** Conflicts are part of the work, a few at least; the rest of 4xx and 5xx should not be. */
const toneOfAnswer = (code: string): Tone =>
  code.startsWith('2') ? 'good' : code === '409' || code === '404' ? 'idle' : 'warn';

function Answers({ overview }: { overview: Overview | undefined }) {
  return (
    <table>
      <caption>Answers of the API server, since the start of the process</caption>
      <tbody>
        {Object.entries(overview?.answers ?? {}).map(([code, count]) => (
          <tr key={code}>
            <th scope="row" class="id">
              <Mark tone={toneOfAnswer(code)} /> {code}
            </th>
            <td class="number">{count.toLocaleString('en')}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** By their owner: there may be hundreds. */
function Shards() {
  const owners = [...Map.groupBy(shards.value, ({ holder }) => holder)];
  return (
    <table>
      <caption>Owners of shards</caption>
      <tbody>
        {owners
          .toSorted(([a], [b]) => (a < b ? -1 : 1))
          .map(([holder, owned]) => (
            <tr key={holder}>
              <th scope="row" class="id">
                <Mark tone={holder === '' ? 'bad' : 'good'} /> {holder === '' ? 'nobody' : holder}
              </th>
              <td class="dim">{owned.some(({ isHere }) => isHere) ? 'answers here' : ''}</td>
              <td class="wrap number-list">{ranges(owned.map(({ shard }) => shard))}</td>
            </tr>
          ))}
      </tbody>
    </table>
  );
}

/** `0-3, 7` */
function ranges(numbers: readonly number[]): string {
  const runs: { from: number; to: number }[] = [];
  for (const one of numbers.toSorted((a, b) => a - b)) {
    const run = runs.at(-1);
    if (run?.to === one - 1) run.to = one;
    else runs.push({ from: one, to: one });
  }
  return runs.map(({ from, to }) => (from === to ? `${from}` : `${from}-${to}`)).join(', ');
}

function Watches({ overview }: { overview: Overview | undefined }) {
  const watches = overview?.watches ?? [];
  return (
    <table>
      <caption>Watches, by when they last said something</caption>
      <tbody>
        {watches
          .toSorted((a, b) => b.ageMs - a.ageMs)
          .map(({ kind, ageMs }) => (
            <tr key={kind}>
              <th scope="row" class="id">
                <Mark tone={ageMs > oldWatchMs ? 'warn' : 'good'} /> {kind}
              </th>
              <td class="number" title={clock(tick.value - ageMs)}>
                {age(1, 1 + ageMs)}
              </td>
            </tr>
          ))}
      </tbody>
    </table>
  );
}
