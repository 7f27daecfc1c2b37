// The state of an actor: its gravest region as a word, and the others beside it where they are not
// at ease.
import { changes, type Row } from '../core/rows.ts';
import { isRestarting, readState, type Shown, toneOfRow, wordOfRow } from '../core/states.ts';
import { Mark } from './mark.tsx';

type StateOf = Pick<Row, 'state' | 'isParked'>;

export function StateWord({ row }: { row: StateOf }) {
  void changes.value;
  const tone = toneOfRow(row);
  return (
    <span class={`word ${tone}`}>
      <Mark tone={tone} />
      {wordOfRow(row)}
    </span>
  );
}

const isCalm = ({ tone }: Shown): boolean => tone === 'good' || tone === 'idle';

/** What else is not as it should be, in few words. */
export function otherStates(row: StateOf): readonly Shown[] {
  if (row.isParked || isRestarting(row)) return [];
  const { headline, leaves } = readState(row.state);
  return leaves.filter((one) => one !== headline && !isCalm(one));
}

export function StateLine({ row }: { row: StateOf }) {
  void changes.value;
  const region = row.isParked || isRestarting(row) ? '' : readState(row.state).headline.region;
  return (
    <span class="states">
      <StateWord row={row} />
      {region !== '' && region !== 'readiness' && <span class="dim">{region}</span>}
      {otherStates(row).map(({ path, region: where, name, tone }) => (
        <span key={path} class={`chip ${tone}`}>
          <span class="dim">{where}</span> {name}
        </span>
      ))}
    </span>
  );
}

/** All regions, for the head of an actor's page. */
export function AllStates({ row }: { row: StateOf }) {
  void changes.value;
  const { leaves } = readState(row.state);
  return (
    <ul class="regions" aria-label="states">
      {leaves.map(({ path, region, name, tone }) => (
        <li key={path}>
          {region !== '' && <span class="dim">{region}</span>}
          <span class={`word ${tone}`}>
            <Mark tone={tone} />
            {name}
          </span>
        </li>
      ))}
    </ul>
  );
}
