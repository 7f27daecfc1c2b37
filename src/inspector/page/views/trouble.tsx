// What should be looked at: parked, restarting, and for longer than some minutes in a state that
// nobody wants to stay in; with the first reason that each gives.
import type { ComponentChildren } from 'preact';
import { at, list, text } from '#machines/kubernetes/json.ts';
import { useEvery, useRemote } from '../core/remote.ts';
import { linkToActor, parameter, pathOfActor, setParameter } from '../core/route.ts';
import { allRows, changes, type Row } from '../core/rows.ts';
import { isRestarting, toneOfRow } from '../core/states.ts';
import { age, tick } from '../core/time.ts';
import { StateLine } from '../parts/state.tsx';

const usualMinutes = 10;
const minute = 60_000;
/** Of a table; each row asks why. */
const maxRows = 50;
const askEveryMs = 15_000;

export function TroubleView() {
  void changes.value;
  const given = Number(parameter('minutes'));
  const minutes = parameter('minutes') !== '' && given >= 0 ? given : usualMinutes;
  const now = tick.value;
  const parked: Row[] = [];
  const restarting: Row[] = [];
  const stuck: Row[] = [];
  for (const row of allRows()) {
    if (row.isParked) parked.push(row);
    else if (isRestarting(row)) restarting.push(row);
    else if (isUneasy(row) && now - row.since > minutes * minute) stuck.push(row);
  }
  return (
    <section class="trouble">
      <h1 class="hidden">Trouble</h1>
      <Group title="Parked" none="No actor is parked." rows={parked} />
      <Group title="Restarting" none="No actor is restarting." rows={restarting} />
      <Group title="Stuck" none="No actor is stuck." rows={stuck}>
        <label>
          for longer than{' '}
          <input
            type="number"
            min="0"
            value={minutes}
            onChange={({ currentTarget }) => setParameter('minutes', currentTarget.value)}
          />{' '}
          minutes
        </label>
      </Group>
    </section>
  );
}

function isUneasy(row: Row): boolean {
  const tone = toneOfRow(row);
  return tone !== 'good' && tone !== 'idle';
}

interface GroupProps {
  readonly title: string;
  readonly none: string;
  readonly rows: readonly Row[];
  readonly children?: ComponentChildren;
}

function Group({ title, none, rows, children }: GroupProps) {
  const shown = rows.toSorted((a, b) => a.since - b.since).slice(0, maxRows);
  return (
    <table class="troubles">
      <caption>
        {title} <span class="dim">{rows.length.toLocaleString('en')}</span> {children}
      </caption>
      {shown.length > 0 && (
        <thead>
          <tr>
            <th scope="col">actor</th>
            <th scope="col">state</th>
            <th scope="col">since</th>
            <th scope="col">why</th>
          </tr>
        </thead>
      )}
      <tbody>
        {shown.map((row) => (
          <Trouble key={row.id} row={row} />
        ))}
        {shown.length === 0 && (
          <tr>
            <td class="dim">{none}</td>
          </tr>
        )}
        {rows.length > shown.length && (
          <tr>
            <td class="dim" colSpan={4}>
              and {rows.length - shown.length} more
            </td>
          </tr>
        )}
      </tbody>
    </table>
  );
}

function Trouble({ row }: { row: Row }) {
  void changes.value;
  const again = `${row.state} ${useEvery(askEveryMs)}`;
  const { data, error } = useRemote<unknown>(`/actors/${pathOfActor(row.id)}/why`, again);
  const [first = ''] = list(at(data, 'because')).map(text);
  return (
    <tr>
      <td>
        <a class="id" href={linkToActor(row.id)}>
          {row.name}
        </a>{' '}
        <span class="dim">
          {row.kind} {row.namespace}
        </span>
      </td>
      <td>
        <StateLine row={row} />
      </td>
      <td>{age(row.since, tick.value)}</td>
      <td class="wrap">{error ?? (data === undefined ? '…' : first || 'it gives no reason')}</td>
    </tr>
  );
}
