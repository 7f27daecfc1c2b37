// The world of one run with warm pools: an embedded cluster, a quota that may refuse Sandboxes or
// pods, and the lives of a controller that runs agent-sandbox's module alone. run.ts lets things
// happen in it.
import { agentsandbox } from '#machines/agentsandbox/module.ts';
import type { ActorKey } from '#machines/contract/address.ts';
import { withSettings } from '#machines/contract/module.ts';
import { defaultConfiguration } from '#src/config/decode.ts';
import type { KubeRequest, KubeResponse } from '#src/kube/transport/transport.ts';
import { agentSandboxSettings } from '#src/modules/agentsandbox/settings.ts';
import type { Rates } from '../faults/rates.ts';
import type { Tag } from '../oracles/ownerships.ts';
import { type Place, placeOf } from '../oracles/place.ts';
import type { Machines } from '../world/machines.ts';
import { areClocksWrong } from '../world/controller-set.ts';
import { ModuleWorld, type ModuleWorldOptions } from '../world/module-world.ts';
import { Guards } from './guards.ts';
import { annotationOf, controllerOf, nameOf, poolOf } from './objects.ts';
import { PoolOracle } from './oracle.ts';

export interface PoolWorldOptions extends ModuleWorldOptions {
  readonly warmPool: {
    readonly maxBatchSize: number;
    readonly replenishDelaySeconds: number;
    readonly maxRefillRate: number;
    readonly readinessGraceSeconds: number;
    readonly unschedulableRecheckSeconds: number;
  };
  readonly podMetadataDelayMs: number;
  readonly hasObservability: boolean;
}

export class PoolWorld extends ModuleWorld<PoolWorldOptions> {
  readonly oracle: PoolOracle;
  readonly #guards: Guards;
  readonly #meddling = this.random('meddling');
  /** Plurals of which no more may be created now. */
  readonly quota = new Set<string>();
  /** A webhook refuses whatever makes a claim the owner of a Sandbox. */
  refusesTakeOvers = false;
  /** Creates of Sandboxes are answered by errors, done or not. */
  muddles = false;

  constructor(options: PoolWorldOptions) {
    super(options, { plugins: [], machines: machinesFor(options), group: agents, treeOf });
    const { tally, oracles, cluster, clock } = this;
    const seen = { store: cluster.store, tally, clock, ...oracles };
    this.oracle = new PoolOracle({
      ...seen,
      areClocksWrong: this.areClocksWrong,
      latelyMs: latelyIn(options.rates),
      graceMs: options.warmPool.readinessGraceSeconds * 1_000,
    });
    this.#guards = new Guards(seen);
    this.onHealing(() => {
      this.quota.clear();
      this.refusesTakeOvers = false;
      this.muddles = false;
    });
  }

  /** Deadlines are by the clocks of processes. */
  get areClocksWrong(): boolean {
    return areClocksWrong(this.options);
  }

  protected override guard(request: KubeRequest): void {
    // The log of requests has no names of objects that are created.
    const { method, path, body } = request;
    if (method === 'POST') this.trace.note(this.clock.now(), `creates ${path} ${nameOf(body)}`);
    this.#guards.judge(request);
  }

  protected override judge(
    tag: Tag,
    request: KubeRequest,
    carryOut: () => Promise<KubeResponse>,
  ): Promise<KubeResponse> {
    return this.oracle.judge(tag, request, this.#meddled(request, carryOut));
  }

  /** What a quota or a webhook makes of it. */
  #meddled(request: KubeRequest, carryOut: () => Promise<KubeResponse>) {
    const { method, path, body } = request;
    const { plural } = placeOf(path);
    if (method === 'POST' && this.quota.has(plural)) {
      this.inject(`quota of ${plural}`);
      return () => answer(403, 'Forbidden', exceeded(plural));
    }
    if (plural !== 'sandboxes') return carryOut;
    if (method === 'POST' && this.muddles) {
      this.inject('muddled create');
      return async () => {
        if (this.#meddling.next() < 0.5) await carryOut();
        return answer(500, 'InternalError', 'the request may have been done');
      };
    }
    const isTakeOver = method === 'PATCH' && controllerOf(body)?.kind === 'SandboxClaim';
    if (!isTakeOver || !this.refusesTakeOvers) return carryOut;
    this.inject('take-over refused');
    return () => answer(403, 'Forbidden', 'admission webhook "owners" denied the request');
  }

  protected override get witnesses(): PoolOracle {
    return this.oracle;
  }

  protected override async furnish(): Promise<void> {}
}

const agents = 'agents.x-k8s.io';

/** How old may be what a process acts on: it waits for sockets, stands still, has deaf watches. */
function latelyIn(rates: Rates): number {
  const { slowSocket, watchHang, stallEveryS, watchDeadEveryS, apiOutageEveryS } = rates;
  const isSlow = slowSocket + watchHang + stallEveryS + watchDeadEveryS + apiOutageEveryS > 0;
  return 20_000 + rates.watchLagMs + (isSlow ? 150_000 : 0);
}

const exceeded = (plural: string): string =>
  `${plural} is forbidden: exceeded quota: few, requested: count/${plural}=1`;

async function answer(code: number, reason: string, message: string): Promise<KubeResponse> {
  const body = { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, message, reason };
  return { status: code, headers: {}, body };
}

function machinesFor({ warmPool, podMetadataDelayMs, hasObservability }: PoolWorldOptions) {
  const { agentSandbox } = defaultConfiguration;
  const settings = agentSandboxSettings({
    ...defaultConfiguration,
    agentSandbox: {
      ...agentSandbox,
      podMetadataDelayMs,
      warmPool: { ...agentSandbox.warmPool, ...warmPool },
      claims: { ...agentSandbox.claims, observabilityAnnotations: hasObservability },
    },
  });
  const { behaviours, routes } = withSettings(agentsandbox, settings);
  return { behaviours, routes, watched: routes.map(({ kind }) => kind) } satisfies Machines;
}

const ownTrees = {
  sandboxwarmpools: 'sandboxwarmpool',
  sandboxtemplates: 'sandboxtemplate',
} as const;

/** Pools, templates and claims are written by one tree alone, and so are Sandboxes that come from a
 *  pool or a claim; what has no owner several may want. */
export function treeOf({ plural, namespace, name }: Place, object: unknown): ActorKey | undefined {
  const isKnown = (one: string): one is keyof typeof ownTrees => Object.hasOwn(ownTrees, one);
  if (isKnown(plural)) return { kind: ownTrees[plural], namespace, name: name || nameOf(object) };
  const pool = plural === 'sandboxclaims' ? poolOf(object) : poolOfSandbox(plural, object);
  return pool === '' ? undefined : { kind: 'sandboxwarmpool', namespace, name: pool };
}

function poolOfSandbox(plural: string, object: unknown): string {
  const owner = controllerOf(object);
  if (plural !== 'sandboxes' || owner === undefined) return '';
  if (owner.kind === 'SandboxWarmPool') return owner.name;
  return annotationOf(object, 'coppice.dev/warm-pool');
}
