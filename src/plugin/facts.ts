// Facts as lines for people: when, of which actor, what happened. For trace.ts, tail.ts.
import { isObject, list, numberOf, object, text } from '#machines/kubernetes/json.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { masked } from '#machines/kubernetes/mask.ts';
import type { FactRow } from '#src/inspector/protocol.ts';
import type { Paint } from './show/paint.ts';
import { oneLine } from './show/table.ts';
import { stateText } from './why.ts';

/** Undefined: it is no fact. `about` comes as an id or as a key. What comes by a pipe or from NATS
 *  is masked by nobody else. */
export function readFact(value: unknown): FactRow | undefined {
  const { id, cause, trace, at, about, what, data, sequence } = object(value);
  const key = object(about);
  const actor = isObject(about)
    ? `${text(key['kind'])}/${text(key['namespace'])}/${text(key['name'])}`
    : text(about);
  if (typeof id !== 'string' || typeof what !== 'string' || typeof at !== 'number')
    return undefined;
  return {
    sequence: numberOf(sequence) ?? 0,
    id,
    cause: text(cause),
    trace: text(trace),
    at,
    about: actor,
    what,
    data: masked(object(data)),
  };
}

/** `14:02:11.120`, in UTC as in the objects. */
export const timeText = (at: number): string => new Date(at).toISOString().slice(11, 23);

/** One line without time and actor. */
export function factText({ what, data }: Pick<FactRow, 'what' | 'data'>): string {
  const said = words[what]?.(data) ?? (Object.keys(data).length === 0 ? '' : JSON.stringify(data));
  return oneLine(`${what} ${said}`.trimEnd());
}

export const paintFact = ({ what, data }: FactRow, paint: Paint): ((line: string) => string) => {
  if (what === 'parked' || what === 'restarted') return paint.bad;
  if (what === 'wrote') return text(data['outcome']) === 'ok' ? paint.good : paint.bad;
  return what === 'observed' || what === 'woken' ? paint.faint : (line) => line;
};

const field = (data: JsonObject, name: string): string => {
  const value = data[name];
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
};

const join = (...parts: readonly string[]): string => parts.filter((one) => one !== '').join(' ');

const words: Readonly<Record<string, (data: JsonObject) => string>> = {
  observed: (data) => {
    const edit = object(data['edit']);
    const by = join(field(edit, 'manager'), field(edit, 'operation'));
    const what = join(field(data, 'kind'), field(data, 'name'), field(data, 'summary'));
    const paths = list(edit['paths']).filter((path) => typeof path === 'string');
    const more = edit['more'] === true ? ', and more' : '';
    const which = paths.length === 0 ? '' : `: ${paths.join(', ')}${more}`;
    return by === '' ? what : `${what}, by ${by}${which}`;
  },
  transition: (data) => changeText(data['from'], data['to']),
  decided: (data) => `${field(data, 'what')}: ${field(data, 'why')}`,
  woken: (data) => `${join(field(data, 'view'), field(data, 'key'))}: ${field(data, 'value')}`,
  wrote: (data) => {
    const reason = field(data, 'reason');
    const said = join(field(data, 'op'), field(data, 'object'), field(data, 'outcome'));
    return `${said} in ${field(data, 'ms')} ms${reason === '' ? '' : ` (${reason})`}`;
  },
  restarted: (data) => `${field(data, 'during')}: ${field(data, 'error')}`,
  parked: (data) => field(data, 'error'),
  unparked: (data) => `by ${field(data, 'by')}`,
  ended: () => '',
};

/** Of regions only those that moved. */
function changeText(from: unknown, to: unknown): string {
  const [before, after] = [leavesOf(from), leavesOf(to)];
  const moved = [...after].filter(([path, state]) => path !== '' && before.get(path) !== state);
  const isSame = [...before.keys()].every((path) => after.has(path)) && before.size === after.size;
  if (!isSame || moved.length === 0) return `${stateText(from)} -> ${stateText(to)}`;
  return moved.map(([path, state]) => `${path}: ${before.get(path)} -> ${state}`).join(', ');
}

/** `active.pods` to the state there. */
function leavesOf(value: unknown, path = ''): ReadonlyMap<string, string> {
  if (!isObject(value)) return new Map([[path, text(value)]]);
  return new Map(
    Object.entries(value).flatMap(([name, below]) => [
      ...leavesOf(below, path === '' ? name : `${path}.${name}`),
    ]),
  );
}

/** Facts of a trace under their causes, oldest first, with what has passed since the first. */
export function traceLines(facts: readonly FactRow[], paint: Paint): readonly string[] {
  const [first] = facts;
  if (first === undefined) return [];
  const ids = new Set(facts.map(({ id }) => id));
  const effects = Map.groupBy(facts, ({ cause, id }) =>
    ids.has(cause) && cause !== id ? cause : '',
  );
  const shown = new Set<string>();
  const tree = (fact: FactRow, depth: number): readonly string[] => {
    if (shown.has(fact.id)) return [];
    shown.add(fact.id);
    const since = paint.faint(`+${fact.at - first.at}ms`.padStart(9));
    const line = `${fact.about} ${factText(fact)}`;
    return [
      `${since} ${'  '.repeat(depth)}${paintFact(fact, paint)(line)}`,
      ...(effects.get(fact.id) ?? []).flatMap((effect) => tree(effect, depth + 1)),
    ];
  };
  // Those without a cause that is known first; causes of hostile facts may go round.
  return [...(effects.get('') ?? []), ...facts].flatMap((fact) => tree(fact, 0));
}
