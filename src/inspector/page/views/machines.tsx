// The charts of all kinds of actors, with the number of actors in each state.
import { linkToActors, linkToMachine } from '../core/route.ts';
import { allRows, changes } from '../core/rows.ts';
import { readState } from '../core/states.ts';
import { Chart, useCharts } from '../parts/chart.tsx';
import { Problem } from '../parts/problem.tsx';

export function MachinesView() {
  const charts = useCharts();
  return (
    <section>
      <h1>Machines</h1>
      <Problem remote={charts} what="charts" />
      <Places machines={Object.keys(charts.data?.machines ?? {})} present="" />
    </section>
  );
}

function Places({ machines, present }: { machines: readonly string[]; present: string }) {
  void changes.value;
  const counts = new Map<string, number>();
  for (const { kind } of allRows()) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return (
    <nav class="machines" aria-label="machines">
      {machines.map((machine) => (
        <a
          key={machine}
          href={linkToMachine(machine)}
          {...(machine === present ? { 'aria-current': 'page' } : {})}
        >
          <span class="id">{machine}</span>{' '}
          <span class="dim number">{(counts.get(machine) ?? 0).toLocaleString('en')}</span>
        </a>
      ))}
    </nav>
  );
}

export function MachineView({ machine }: { machine: string }) {
  const charts = useCharts();
  void changes.value;
  const picture = charts.data?.machines[machine];
  const counts = new Map(picture?.states.map(({ path }) => [path, 0]));
  let total = 0;
  for (const row of allRows()) {
    if (row.kind !== machine) continue;
    total++;
    for (const path of readState(row.state).paths) counts.set(path, (counts.get(path) ?? 0) + 1);
  }
  const active = new Set([...counts].filter(([, count]) => count > 0).map(([path]) => path));
  return (
    <section>
      <Places machines={Object.keys(charts.data?.machines ?? {})} present={machine} />
      <h1>
        <span class="id">{machine}</span>{' '}
        <a class="dim" href={linkToActors({ kind: machine })}>
          {total.toLocaleString('en')} {total === 1 ? 'actor' : 'actors'}
        </a>
      </h1>
      <Problem remote={charts} what="charts" />
      {picture === undefined ? (
        charts.data !== undefined && <p class="problem">There is no machine {machine}.</p>
      ) : (
        <Chart
          picture={picture}
          label={machine}
          active={active}
          counts={counts}
          linkOf={(path) => linkToActors({ kind: machine, state: path })}
        />
      )}
    </section>
  );
}
