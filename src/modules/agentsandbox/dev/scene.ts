// What `coppice dev` shows of warm pools, as data: the pools with their members, the claims on them
// and the Sandboxes of nobody, kept up to date from observations of the cluster. Pure bookkeeping;
// view.ts turns it into lines.
import type { Observation } from '#actors/ports.ts';
import type { Kind } from '#machines/kinds.ts';
import { conditionsOf, conditionStatus } from '#machines/kubernetes/conditions.ts';
import { at, count, text } from '#machines/kubernetes/json.ts';
import { controllerOf, type JsonObject, type KubeObject } from '#machines/kubernetes/objects.ts';
import type { Phase } from '#src/dev/picture.ts';
import type { DevScene } from '#src/modules/edge.ts';
import { paint, sayClaim, sayPool, saySandbox } from './view.ts';
import type { ClaimLine, PoolLine, SandboxLine, Untold } from './view.ts';

type Objects = ReadonlyMap<string, KubeObject>;

const kinds: ReadonlySet<string> = new Set(['SandboxWarmPool', 'SandboxClaim', 'Sandbox']);

export const isShown = (kind: string): boolean => kinds.has(kind);

export class Scene implements DevScene {
  readonly #byKind = new Map<Kind, Map<string, KubeObject>>();

  observe(observation: Observation): void {
    const {
      kind,
      namespace = '',
      name,
    } = observation.type === 'seen'
      ? { kind: observation.kind, ...observation.object.metadata }
      : observation.ref;
    if (!isShown(kind)) return;
    const objects = this.#byKind.get(kind) ?? new Map<string, KubeObject>();
    this.#byKind.set(kind, objects);
    if (observation.type === 'seen') objects.set(`${namespace}/${name}`, observation.object);
    else objects.delete(`${namespace}/${name}`);
  }

  lines(): readonly (PoolLine | ClaimLine | SandboxLine)[] {
    const sandboxes = this.#of('Sandbox');
    const members = Map.groupBy(sandboxes.values(), (one) => controllerOf(one)?.uid ?? '');
    const claims = byName(this.#of('SandboxClaim')).map(([key, claim]) => claimLine(key, claim));
    const ofPool = Map.groupBy(claims, ({ key }) => poolOf(key, this.#of('SandboxClaim').get(key)));
    const pools = byName(this.#of('SandboxWarmPool')).map(([key, pool]) =>
      poolLine(key, pool, members.get(pool.metadata.uid ?? '-') ?? [], ofPool.get(key) ?? []),
    );
    const alone = byName(sandboxes).filter(([, one]) => controllerOf(one) === undefined);
    return [...pools, ...claims, ...alone.map(([key, one]) => sandboxLine(key, one))];
  }

  paint(): readonly string[] {
    return paint(this.lines());
  }

  #of(kind: Kind): Objects {
    return this.#byKind.get(kind) ?? new Map();
  }
}

const byName = (objects: Objects): readonly (readonly [string, KubeObject])[] =>
  [...objects].toSorted(([a], [b]) => a.localeCompare(b, 'en', { numeric: true }));

const poolOf = (key: string, claim: KubeObject | undefined): string =>
  `${key.slice(0, key.indexOf('/'))}/${text(at(claim, 'spec', 'warmPoolRef', 'name'))}`;

const is = (object: KubeObject, type: string): boolean =>
  conditionStatus(conditionsOf(object['status']), type) === 'True';

function poolLine(
  key: string,
  pool: KubeObject,
  members: readonly KubeObject[],
  claims: readonly ClaimLine[],
): PoolLine {
  const wanted = count(at(pool, 'spec', 'replicas')) ?? 0;
  const ready = claims.filter(({ done }) => done).length;
  const line: Untold<PoolLine> = {
    ...{ kind: 'SandboxWarmPool', key, wanted },
    members: members.map(phaseOf).toSorted((a, b) => order.indexOf(a) - order.indexOf(b)),
    claims: { all: claims.length, ready },
  };
  // Its members are newer than its status, which tells of none that a claim has just taken.
  const isFull = line.members.filter((phase) => phase === 'ready').length >= wanted;
  const trouble = troubleOf(pool, ['Filling', 'RollingOut', 'Draining']);
  return { ...line, summary: sayPool(line), trouble, done: isFull && is(pool, 'Ready') };
}

const order: readonly Phase[] = ['ready', 'scheduled', 'waiting', 'terminating'];

function claimLine(key: string, claim: KubeObject): ClaimLine {
  const sandbox = text(at(claim, 'status', 'sandbox', 'name'));
  const line: Untold<ClaimLine> = { kind: 'SandboxClaim', key, sandbox };
  const done = is(claim, 'Ready');
  const trouble = troubleOf(claim, ['SandboxNotReady', 'DependenciesNotReady']);
  return { ...line, summary: sayClaim(line, done), trouble, done };
}

function sandboxLine(key: string, sandbox: KubeObject): SandboxLine {
  const isSuspended = at(sandbox, 'spec', 'operatingMode') === 'Suspended';
  const line: Untold<SandboxLine> = { kind: 'Sandbox', key, phase: phaseOf(sandbox), isSuspended };
  const trouble = troubleOf(sandbox, ['DependenciesNotReady', 'SandboxSuspended']);
  const done = is(sandbox, isSuspended ? 'Suspended' : 'Ready');
  return { ...line, summary: saySandbox(line, done), trouble, done };
}

function phaseOf(sandbox: KubeObject): Phase {
  if (sandbox.metadata.deletionTimestamp !== undefined) return 'terminating';
  if (is(sandbox, 'Ready')) return 'ready';
  return is(sandbox, 'PodScheduled') ? 'scheduled' : 'waiting';
}

/** What its condition Ready says, but for what is as it should be, and that its actor is parked. */
function troubleOf(object: KubeObject, usual: readonly string[]): readonly string[] {
  const said = (type: string, status: string): readonly JsonObject[] =>
    conditionsOf(object['status']).filter(
      (one) => one['type'] === type && one['status'] === status,
    );
  const unready = said('Ready', 'False').filter(({ reason }) => !usual.includes(text(reason)));
  return [
    ...said('Parked', 'True').map(({ message }) => `parked: ${text(message)}`),
    ...unready.map(({ reason, message }) => `${text(reason)}: ${text(message)}`),
  ];
}
