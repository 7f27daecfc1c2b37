// So many refusals of each kind, for each of Grove's three controllers, while a large set comes up:
// `grove_operator_*` counts them as they were inflicted, each once and no other.
import { expect } from 'vitest';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import type { Exposition } from '#test/support/exposition.ts';
import { eventually } from '#test/support/eventually.ts';
import { isWrite } from '../proxy/request.ts';
import type { Fault, Match } from '../proxy/rules.ts';
import type { Passed } from '../proxy/traffic.ts';
import type { Scenario } from '../stage/describe.ts';

const name = 'counted';
const limitMs = 240_000;

const controllers = {
  set: 'podcliqueset-controller',
  clique: 'podclique-controller',
  group: 'podcliquescalinggroup-controller',
} as const;
type Controller = keyof typeof controllers;
const kinds = { set: 'PodCliqueSet', clique: 'PodClique', group: 'PodCliqueScalingGroup' } as const;

/** Of each controller the requests that only it sends, one or more a replica. */
const creates: Readonly<Record<Controller, Match>> = {
  set: { verb: 'create', kind: 'Service' },
  clique: { verb: 'create', kind: 'Pod' },
  group: { verb: 'create', kind: 'PodClique', name: /-g-\d+-member$/ },
};

const answer = (
  status: number,
  more: { reason?: string; retryAfterSeconds?: number } = {},
): Fault => ({
  type: 'answer',
  status,
  ...more,
});
/** What the server says to be invalid is repeated after a minute, or when it names a time. */
const soon = { retryAfterSeconds: 1 };

/** By `error_type`. `internal` is no answer of a server. */
const faults: readonly (readonly [type: string, fault: Fault])[] = [
  ['conflict', answer(409)],
  ['conflict', answer(410, { reason: 'Gone' })],
  ['not_found', answer(404, { reason: 'NotFound' })],
  ['throttled', answer(429, soon)],
  ['server_error', answer(500)],
  ['server_error', answer(504, { reason: 'Timeout' })],
  ['unreachable', { type: 'reset' }],
  ['unreachable', { type: 'swallow' }],
  ['denied', answer(401)],
  ['denied', answer(403, { reason: 'Forbidden' })],
  ['invalid', answer(400, { reason: 'BadRequest', ...soon })],
  ['invalid', answer(422, { reason: 'Invalid', ...soon })],
];

/** Conflicts on statuses. Of one set there are few. */
const conflicts: Readonly<Record<Controller, number>> = { set: 1, clique: 9, group: 6 };

const errorTypes = [...new Set(faults.map(([type]) => type)), 'internal'];

type Counts = Record<string, number>;

const add = (counts: Counts, key: string, by: number): void => {
  counts[key] = (counts[key] ?? 0) + by;
};

/** What the families shall say, by the values of their labels; also that which is 0. */
class Expected {
  readonly errors: Counts = {};
  readonly statusConflicts: Counts = {};

  constructor() {
    for (const controller of Object.values(controllers)) {
      for (const type of errorTypes) this.errors[`${controller} ${type}`] = 0;
      for (const kind of Object.values(kinds)) this.statusConflicts[`${controller} ${kind}`] = 0;
    }
  }

  error(controller: Controller, type: string, times: number): void {
    add(this.errors, `${controllers[controller]} ${type}`, times);
  }

  conflict(controller: Controller, times: number): void {
    add(this.statusConflicts, `${controllers[controller]} ${kinds[controller]}`, times);
    this.error(controller, 'conflict', times);
  }
}

const counted = (metrics: Exposition, family: string, label: string): Counts =>
  Object.fromEntries(
    metrics
      .of(family)
      .map(({ labels, value }) => [`${labels['controller']} ${labels[label]}`, value]),
  );

const clique = (role: string): JsonObject => ({
  name: role,
  spec: {
    roleName: role,
    replicas: 1,
    podSpec: {
      tolerations: [{ operator: 'Exists' }],
      containers: [{ name: 'main', image: 'registry.example/none:1' }],
    },
  },
});

const set = (replicas: number): JsonObject => ({
  apiVersion: 'grove.io/v1alpha1',
  kind: 'PodCliqueSet',
  metadata: { name },
  spec: {
    replicas,
    template: {
      cliques: [clique('alone'), clique('member')],
      podCliqueScalingGroups: [{ name: 'g', cliqueNames: ['member'] }],
    },
  },
});

/** Refused by the server itself. A create whose answer was swallowed finds its own object. */
const isOther = ({ verb, kind, status, fault }: Passed): boolean =>
  isWrite({ verb }) &&
  fault === undefined &&
  status >= 400 &&
  kind !== 'events' &&
  !(verb === 'create' && status === 409);

/** Different numbers of each kind for each controller, so that none can stand in for another. */
export const countedErrors = (replicas: number): Scenario => ({
  name: 'counted',
  title: `counts what is refused of ${replicas} replicas by controller and kind, exactly`,
  isAlone: true,
  run: async (scene) => {
    const { kube, namespace, proxy } = scene;
    await scene.controller();
    const expected = new Expected();
    const apart = Math.floor(replicas / (faults.length + 2));
    for (const [place, controller] of (Object.keys(controllers) as Controller[]).entries()) {
      for (const [index, [type, fault]] of faults.entries()) {
        const times = 1 + ((index + place) % 4);
        proxy.inflict({ ...creates[controller], nth: (index + 1) * apart, times, fault });
        expected.error(controller, type, times);
      }
      const times = conflicts[controller];
      const statuses = { verb: 'update', kind: kinds[controller], subresource: 'status' } as const;
      proxy.inflict({ ...statuses, nth: 1, times, fault: answer(409) });
      expected.conflict(controller, times);
    }
    const begun = performance.now();
    await kube.create(namespace, 'podcliquesets', set(replicas));
    await scene.pods(2 * replicas, limitMs);
    await eventually(
      'the set available',
      () => kube.get(namespace, 'podcliquesets', name),
      (one) => one?.status?.availableReplicas === replicas,
      limitMs,
    );
    await scene.quiet();
    const hit = proxy.traffic.count(({ fault }) => fault !== undefined);
    scene.say(
      `${hit} requests of ${replicas} replicas hit, ready after ${Math.round(performance.now() - begun)} ms`,
    );
    expect(proxy.traffic.all.filter(isOther)).toEqual([]);
    const metrics = await scene.metrics();
    expect(counted(metrics, 'grove_operator_reconcile_errors_total', 'error_type')).toEqual(
      expected.errors,
    );
    expect(counted(metrics, 'grove_operator_status_update_conflict_total', 'target_kind')).toEqual(
      expected.statusConflicts,
    );
    expect(scene.podsEver).toBe(2 * replicas);
  },
});
