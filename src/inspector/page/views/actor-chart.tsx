// The chart of an actor: its present states lit, and the arrows that it took last.
import type { HistoryPage } from '#src/inspector/protocol.ts';
import { movesOf, sayFact } from '../core/facts.ts';
import { useRemote } from '../core/remote.ts';
import { pathOfActor } from '../core/route.ts';
import { readState } from '../core/states.ts';
import type { TabProps } from '../core/tab.ts';
import { age, clock, tick } from '../core/time.ts';
import { Chart, useCharts } from '../parts/chart.tsx';
import { Problem } from '../parts/problem.tsx';

/** Transitions that are listed; the arrows of the newest are drawn. */
const maxListed = 6;
const lookedAt = 200;

export function ActorChart({ id, row, facts, news }: TabProps) {
  const charts = useCharts();
  const path = `/actors/${pathOfActor(id)}/history?limit=${lookedAt}`;
  const history = useRemote<HistoryPage>(path, news);
  const [kind = ''] = id.split('/');
  const picture = charts.data?.machines[kind];
  if (charts.data === undefined) return <Problem remote={charts} what="charts" />;
  if (picture === undefined) return <p class="problem">There is no chart of {kind}.</p>;
  const known = new Map(
    [...(history.data?.facts ?? []), ...facts].map((fact) => [fact.id, fact] as const),
  );
  const transitions = [...known.values()]
    .filter(({ what }) => what === 'transition')
    .toSorted((a, b) => b.sequence - a.sequence)
    .slice(0, maxListed);
  const active = row === undefined ? new Set<string>() : readState(row.state).paths;
  return (
    <>
      <Chart
        picture={picture}
        label={id}
        active={active}
        moves={transitions[0] ? movesOf(transitions[0]) : []}
      />
      <h2>Last transitions</h2>
      <table>
        <tbody>
          {transitions.map((fact) => (
            <tr key={fact.id}>
              <td class="number">
                <time>{clock(fact.at)}</time>
              </td>
              <td class="number dim">{age(fact.at, tick.value)} ago</td>
              <td class="wrap">{sayFact(fact)}</td>
            </tr>
          ))}
          {transitions.length === 0 && (
            <tr>
              <td class="dim">none are known</td>
            </tr>
          )}
        </tbody>
      </table>
      <Problem remote={history} what="history" />
    </>
  );
}
