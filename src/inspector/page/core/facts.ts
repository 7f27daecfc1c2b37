// A fact in words, and what is wrong with it. The fields of each kind of fact are those of
// docs/bus.md.
import type { FactRow } from '#src/inspector/protocol.ts';
import { at, count, strings, text } from '#machines/kubernetes/json.ts';
import { readState, type StateText, type Tone } from './states.ts';

export interface Move {
  readonly region: string;
  /** Dotted; empty: it was not in the region. */
  readonly from: string;
  readonly to: string;
}

/** What a transition changed, region by region; where the state that holds them is another one,
 *  that is all that moved. */
export function movesOf({ what, data }: FactRow): readonly Move[] {
  if (what !== 'transition') return [];
  const before = readState(JSON.stringify(data['from'] ?? ''));
  const after = readState(JSON.stringify(data['to'] ?? ''));
  const [from, to] = [topOf(before), topOf(after)];
  if (from !== to) return [{ region: '', from, to }];
  return after.leaves
    .filter(({ path }) => !before.paths.has(path))
    .map(({ path, region }) => {
      const left = before.leaves.find((one) => one.region === region);
      return { region, from: left?.path ?? '', to: path };
    });
}

const topOf = ({ leaves }: StateText): string => leaves[0]?.path.split('.')[0] ?? '';
const last = (path: string): string => path.split('.').at(-1) ?? '';

function sayMoves(fact: FactRow): string {
  const moves = movesOf(fact);
  if (moves.length === 0) return 'state entered again';
  const steps = moves.map(({ region, from, to }) => {
    const step = `${last(from) || 'nothing'} → ${last(to)}`;
    return region === '' ? step : `${region}: ${step}`;
  });
  if (moves[0]?.region !== '') return steps.join(', ');
  const { leaves } = readState(JSON.stringify(fact.data['to'] ?? ''));
  const regions = leaves.filter(({ region }) => region !== '');
  return [...steps, ...regions.map(({ region, name }) => `${region} ${name}`)].join(', ');
}

export interface Edit {
  readonly manager: string;
  readonly operation: string;
  /** Empty where the object does not tell. */
  readonly at: string;
  /** What was changed, in words. */
  readonly changed: string;
}

/** Who edited what, where somebody did. */
export function editOf({ data }: FactRow): Edit | undefined {
  const edit = data['edit'];
  if (edit === undefined) return undefined;
  const when = at(edit, 'at');
  const paths = strings(at(edit, 'paths'));
  const more = at(edit, 'more') === true ? ' and more' : '';
  const whole = text(at(edit, 'subresource')) || 'the object as a whole';
  return {
    manager: text(at(edit, 'manager')) || 'somebody',
    operation: text(at(edit, 'operation')),
    at: typeof when === 'number' ? new Date(when).toISOString() : text(when),
    changed: paths.length === 0 ? whole : `${paths.join(', ')}${more}`,
  };
}

const sayings: Readonly<Record<string, (fact: FactRow) => string>> = {
  observed: (fact) => {
    const { data } = fact;
    const edit = editOf(fact);
    const object = `${text(data['kind'])} ${text(data['name'])} ${text(data['summary'])}`;
    const version = text(data['version']) === '' ? '' : ` (version ${text(data['version'])})`;
    if (edit === undefined) return `${object}${version}`;
    return `${object}${version}, ${edit.operation} of ${edit.changed} by ${edit.manager}`;
  },
  transition: sayMoves,
  decided: ({ data }) => `${text(data['what'])}: ${text(data['why'])}`,
  woken: ({ data }) =>
    `${text(data['view'])} of ${text(data['key'])}: ${text(data['value']) || 'nothing'}`,
  wrote: ({ data }) => {
    const ms = count(data['ms']);
    const took = ms === undefined ? '' : `, ${ms} ms`;
    const why = text(data['reason']) === '' ? '' : ` (${text(data['reason'])})`;
    return `${text(data['op'])} ${text(data['object'])} ${text(data['outcome'])}${took}${why}`;
  },
  restarted: ({ data }) => `crashed in ${text(data['during'])}: ${text(data['error'])}`,
  parked: ({ data }) => text(data['error']),
  unparked: ({ data }) => `by ${text(data['by'])}`,
  ended: () => 'its object is gone',
};

export const sayFact = (fact: FactRow): string =>
  sayings[fact.what]?.(fact) ?? JSON.stringify(fact.data);

/** Bad and parked are what somebody should look at. */
export function toneOfFact(fact: FactRow): Tone {
  switch (fact.what) {
    case 'parked':
      return 'parked';
    case 'restarted':
      return 'bad';
    case 'wrote':
      return toneOfOutcome(text(fact.data['outcome']));
    case 'transition':
    case 'unparked':
    case 'decided':
      return 'progress';
    default:
      return 'idle';
  }
}

/** Conflicts are part of the work: the next attempt knows better. */
const toneOfOutcome = (outcome: string): Tone =>
  outcome === 'ok' ? 'good' : outcome === 'CONFLICT' ? 'warn' : 'bad';

/** How long a write was under way; its fact is noted when it ended. */
export const durationOf = ({ what, data }: FactRow): number =>
  what === 'wrote' ? (count(data['ms']) ?? 0) : 0;

export interface Placed {
  readonly fact: FactRow;
  readonly depth: number;
}

/** Facts below their cause, in order of time; one whose cause is not known stands at the top. */
export function byCause(facts: readonly FactRow[]): readonly Placed[] {
  const known = new Set(facts.map(({ id }) => id));
  const below = Map.groupBy(facts, ({ cause }) => (known.has(cause) ? cause : ''));
  const placed: Placed[] = [];
  const waiting: Placed[] = (below.get('') ?? []).toReversed().map((fact) => ({ fact, depth: 0 }));
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    placed.push(next);
    const { depth, fact } = next;
    // A fact that is its own cause would go round for ever.
    const caused = fact.id === '' ? [] : (below.get(fact.id) ?? []);
    for (const one of caused.toReversed()) {
      if (one !== fact) waiting.push({ fact: one, depth: depth + 1 });
    }
  }
  return placed;
}
