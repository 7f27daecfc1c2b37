// `kubectl coppice get`: states and conditions at a glance. Objects and conditions come from the
//   API
// server; what the actors are doing comes from the controller, where it can be reached.
import { actorId, type ActorKey } from '#machines/contract/address.ts';
import { actorKindOf, apiGroup, apiKind, isClusterScoped, kindRow } from '#machines/kinds.ts';
import { conditionsOf, type Condition, glanceAt, type Readiness, readyCell } from './glance.ts';
import { type Actors, actorsOf } from './actors.ts';
import { PluginError } from './errors.ts';
import { formatted, timeoutIn } from './format.ts';
import { wantedIn } from './kinds.ts';
import { itemsWanted, type Item } from './objects.ts';
import type { FlagsOf } from './parse.ts';
import type { Session } from './session.ts';
import { Progress } from './show/progress.ts';
import { age, type Row, table } from './show/table.ts';

/** Between two looks with `--wait`. */
const lookMs = 1_000;

export async function showStates(
  session: Session,
  flags: FlagsOf<'get'>,
  words: readonly string[],
): Promise<void> {
  const { output } = session;
  const namespace = flags['all-namespaces'] ? undefined : session.namespace;
  const look = () => itemsWanted(session.transport, wantedIn(words), namespace);
  const items = flags.wait
    ? await untilReady(session, timeoutIn(flags.timeout), look)
    : await look();
  if (flags.output === 'name') {
    for (const item of items) output.line(nameOf(item));
    return;
  }
  const actors = await actorsOf(session, flags, items.flatMap(keysOf));
  if (actors.note !== undefined) output.note(`without what the actors do: ${actors.note}`);
  const views = items.map((item) => viewOf(item, actors));
  if (flags.output === 'json' || flags.output === 'yaml') {
    output.line(formatted({ items: views }, flags.output));
    return;
  }
  if (views.length === 0) {
    output.note(`nothing of Coppice in ${namespace === undefined ? 'any namespace' : namespace}`);
    return;
  }
  for (const line of linesOf(session, views, flags)) output.line(line);
}

export const keysOf = ({ kind, object }: Item): readonly ActorKey[] => {
  const actor = kind === undefined ? undefined : actorKindOf(kind);
  if (kind === undefined || actor === undefined) return [];
  const { name, namespace = '' } = object.metadata;
  return [{ kind: actor, namespace: isClusterScoped(kind) ? '' : namespace, name }];
};

/** As `kubectl get -o name` prints it. */
const nameOf = ({ kind, object }: Item): string => {
  const group = kind === undefined ? '' : apiGroup(kind);
  return `${object.kind.toLowerCase()}${group === '' ? '' : `.${group}`}/${object.metadata.name}`;
};

interface View {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly ready: Readiness;
  readonly count: string;
  readonly reason: string;
  readonly message: string;
  readonly created: string;
  readonly conditions: readonly Condition[];
  /** Absent: the controller was not reached, or has no such actor. */
  readonly actor?: {
    readonly state: string;
    readonly parked: boolean;
    readonly restarts: number;
    readonly mailbox: number;
  };
}

function viewOf(item: Item, actors: Actors): View {
  const { object, kind } = item;
  const { name, namespace = '', creationTimestamp = '' } = object.metadata;
  const [key] = keysOf(item);
  const actor = key === undefined ? undefined : actors.of(actorId(key));
  return {
    kind: kind === undefined ? object.kind : apiKind(kind),
    namespace,
    name,
    ...glanceAt(object),
    created: creationTimestamp,
    conditions: conditionsOf(object),
    ...(actor === undefined ? {} : { actor }),
  };
}

function linesOf(
  { output: { paint }, clock }: Session,
  views: readonly View[],
  flags: FlagsOf<'get'>,
): readonly string[] {
  const isWide = flags.output === 'wide';
  const hasNamespaces = flags['all-namespaces'];
  const hasActors = views.some(({ actor }) => actor !== undefined);
  const header = [
    ...(hasNamespaces ? ['NAMESPACE'] : []),
    ...['NAME', 'READY', 'COUNT', 'REASON'],
    ...(hasActors ? ['STATE'] : []),
    ...(isWide && hasActors ? ['RESTARTS', 'MAILBOX'] : []),
    'AGE',
    ...(isWide ? ['CONDITIONS', 'MESSAGE'] : []),
  ];
  const rows = views.map((view): Row => {
    const { actor } = view;
    const said = isWide ? actor?.state : topOf(actor?.state);
    const state = { text: said ?? '-', ...(actor?.parked ? { paint: paint.bad } : {}) };
    return [
      ...(hasNamespaces ? [view.namespace] : []),
      `${view.kind}/${view.name}`,
      readyCell(view, paint),
      view.count,
      view.reason,
      ...(hasActors ? [state] : []),
      ...(isWide && hasActors ? [`${actor?.restarts ?? '-'}`, `${actor?.mailbox ?? '-'}`] : []),
      age(view.created, clock.now()),
      ...(isWide ? [view.conditions.map(conditionText).join(','), view.message] : []),
    ];
  });
  return table(header, rows);
}

/** `active` of `active(pods: waiting, ...)`. */
const topOf = (state: string | undefined): string | undefined => state?.replace(/[(:].*$/s, '');

const conditionText = ({ type, status }: Condition): string => `${type}=${status}`;

/** What is there once all of it is ready. Rejects with `notReady` after the limit. */
async function untilReady(
  { clock, output, signal }: Session,
  limitMs: number,
  look: () => Promise<readonly Item[]>,
): Promise<readonly Item[]> {
  const begun = clock.now();
  const progress = new Progress('ready', begun);
  for (;;) {
    const items = await look();
    const waiting = items.filter(({ object }) => glanceAt(object).ready !== 'True');
    if (waiting.length === 0 && items.length > 0) {
      output.progress(undefined);
      return items;
    }
    const now = clock.now();
    const { done, all } = counted(items);
    output.progress(progress.at(done, all, now));
    if (now - begun >= limitMs || signal.aborted) {
      output.progress(undefined);
      throw new PluginError('notReady', stillWaiting(items, waiting, now - begun));
    }
    await new Promise<void>((resolve) => {
      const cancel = clock.at(now + lookMs, resolve);
      signal.addEventListener('abort', () => (cancel(), resolve()), { once: true });
    });
  }
}

/** Replicas where there are any: one set of 500 replicas has more to tell than 0 of 1. */
function counted(items: readonly Item[]): { readonly done: number; readonly all: number } {
  const counts = items.map(({ object }): readonly [number, number] => {
    const { count, ready } = glanceAt(object);
    const [has, wants] = count.split('/').map(Number);
    if (has !== undefined && wants !== undefined && wants > 0) return [Math.min(has, wants), wants];
    return [ready === 'True' ? 1 : 0, 1];
  });
  const sum = (at: 0 | 1): number => counts.reduce((all, pair) => all + pair[at], 0);
  return { done: sum(0), all: sum(1) };
}

function stillWaiting(items: readonly Item[], waiting: readonly Item[], ms: number): string {
  const after = `after ${Math.round(ms / 1000)}s`;
  const [first] = waiting;
  if (first === undefined) return `nothing was there ${after}`;
  const { reason, message } = glanceAt(first.object);
  const { plural } = first.kind === undefined ? { plural: '' } : kindRow(first.kind);
  const which = `${plural}/${first.object.metadata.name}: ${message === '' ? reason : message}`;
  return `${waiting.length} of ${items.length} are not ready ${after}; ${which}`;
}
