// What an actor knows, as its answer to `state` has it; and its mail.
import { isObject } from '#machines/kubernetes/json.ts';
import type { HistoryPage } from '#src/inspector/protocol.ts';
import { type Remote, useRemote } from '../core/remote.ts';
import { pathOfActor } from '../core/route.ts';
import type { TabProps } from '../core/tab.ts';
import { clock } from '../core/time.ts';
import { FactLine } from '../parts/fact.tsx';
import { Problem } from '../parts/problem.tsx';

const useAnswer = (id: string, news: number): Remote<unknown> =>
  useRemote<unknown>(`/actors/${pathOfActor(id)}`, news);

export function Data({ id, news }: TabProps) {
  const remote = useAnswer(id, news);
  return (
    <>
      <Problem remote={remote} what="data" />
      {remote.data !== undefined && (
        <div class="data" role="region" aria-label="data" tabIndex={0}>
          <Value value={remote.data} />
        </div>
      )}
    </>
  );
}

/** A list of names and values; what is nested can be closed. */
function Value({ value }: { value: unknown }) {
  if (Array.isArray(value)) {
    return <Fields entries={value.map((one: unknown, index) => [String(index), one])} />;
  }
  if (isObject(value)) return <Fields entries={Object.entries(value)} />;
  if (value === null || value === '')
    return <span class="dim">{value === null ? 'null' : 'empty'}</span>;
  return <span class={`value ${typeof value}`}>{String(value)}</span>;
}

/** Times are numbers, and their names tell them. */
const isMoment = (name: string, value: unknown): value is number =>
  typeof value === 'number' && value > 0 && (name === 'at' || name.endsWith('At'));

const isNested = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length > 0;

function Fields({ entries }: { entries: readonly (readonly [string, unknown])[] }) {
  if (entries.length === 0) return <span class="dim">none</span>;
  return (
    <ul>
      {entries.map(([name, value]) => (
        <li key={name}>
          {isNested(value) ? (
            <details open>
              <summary>
                <span class="key">{name}</span>
              </summary>
              <Value value={value} />
            </details>
          ) : (
            <>
              <span class="key">{name}</span> <Value value={value} />
              {isMoment(name, value) && <span class="dim"> {clock(value)}</span>}
            </>
          )}
        </li>
      ))}
    </ul>
  );
}

/** Kinds of facts that tell of mail. */
const incoming: readonly string[] = ['observed', 'woken'];
const lookedAt = 200;

export function Mailbox({ id, row, news, facts }: TabProps) {
  const path = `/actors/${pathOfActor(id)}/history?limit=${lookedAt}`;
  const remote = useRemote<HistoryPage>(path, news);
  const known = new Map([...(remote.data?.facts ?? []), ...facts].map((fact) => [fact.id, fact]));
  const taken = [...known.values()]
    .filter(({ what }) => incoming.includes(what))
    .toSorted((a, b) => b.sequence - a.sequence);
  const waiting = row?.mailbox ?? 0;
  return (
    <>
      <p>
        {waiting === 0
          ? 'Nothing waits: all mail was taken in.'
          : `${waiting} waiting: an actor takes its mail in once per tick, unless it is parked or restarting.`}
      </p>
      <h2>Taken in, newest first</h2>
      <Problem remote={remote} what="history" />
      <div role="list" aria-label="mail">
        {taken.map((fact) => (
          <FactLine key={fact.id} fact={fact} withActor={false} />
        ))}
      </div>
    </>
  );
}
