// Much structure on the real control plane: ten sets of ten groups of ten cliques, and one set of
// 200 replicas that prefill and decode. What is written for each object, that nothing is asked for
// twice, and how soon gates open. Minutes long: `COPPICE_LARGE=1 npm run test:real -- structure`.
import { describe, expect, test } from 'vitest';
import { at, isObject, list, text } from '#machines/kubernetes/json.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { eventually } from '#test/support/eventually.ts';
import { type AuditedRequest, tally } from './audit.ts';
import { indices } from './sets.ts';
import { describeReal, type Stage } from './stage.ts';

const limitMs = 240_000;

const clique = (name: string, replicas = 1): JsonObject => ({
  name,
  spec: {
    roleName: name,
    replicas,
    podSpec: {
      tolerations: [{ operator: 'Exists' }],
      containers: [{ name: 'main', image: 'registry.example/none:1' }],
    },
  },
});

const set = (name: string, replicas: number, template: JsonObject): JsonObject => ({
  apiVersion: 'grove.io/v1alpha1',
  kind: 'PodCliqueSet',
  metadata: { name },
  spec: { replicas, template },
});

/** A set of ten groups of ten cliques, each in a group of its own. */
function wide(name: string): JsonObject {
  const tens = indices(10);
  const members = (group: number): string[] => tens.map((index) => `g${group}c${index}`);
  return set(name, 1, {
    cliques: tens.flatMap((group) => members(group).map((member) => clique(member))),
    podCliqueScalingGroups: tens.map((group) => ({
      name: `g${group}`,
      cliqueNames: members(group),
    })),
  });
}

/** Six pods a replica: two alone, and of each group one in the base gang and one scaled. */
const serving = (name: string, replicas: number): JsonObject =>
  set(name, replicas, {
    cliques: [clique('front'), clique('route'), clique('prefill'), clique('decode')],
    podCliqueScalingGroups: ['prefill', 'decode'].map((each) => ({
      name: each.slice(0, 1),
      cliqueNames: [each],
      replicas: 2,
      minAvailable: 1,
    })),
  });

/** How often each object had this done to it. */
function counts(requests: readonly AuditedRequest[], verb: string, resource: string): number[] {
  const found = new Map<string, number>();
  for (const request of requests) {
    if (request.verb !== verb || request.resource !== resource) continue;
    found.set(request.name, (found.get(request.name) ?? 0) + 1);
  }
  return [...found.values()];
}

const reading = new Set(['get', 'list']);

/** Statuses of an object, on average. */
const most = { podcliques: 2, podcliquescalinggroups: 2, podgangs: 1 } as const;
const resources = ['podcliques', 'podcliquescalinggroups', 'podgangs'] as const;

const isAsked = process.env['COPPICE_LARGE'] === '1';

describe.runIf(isAsked)('Much structure, with COPPICE_LARGE=1', () => {
  describeReal('on the real control plane', (stageNow) => {
    async function deployed(stage: Stage, here: string, sets: readonly JsonObject[]) {
      const controller = await stage.controller();
      const begun = performance.now();
      const seen = watchPods(stage, here);
      for (const one of sets) await stage.kube.create(here, 'podcliquesets', one);
      const available = async (): Promise<number> =>
        (await stage.kube.list(here, 'podcliquesets')).filter(
          ({ spec, status }) => status?.availableReplicas === spec?.replicas,
        ).length;
      await eventually('all sets available', available, (many) => many === sets.length, limitMs);
      const ms = performance.now() - begun;
      seen.close();
      await stage.quiet(here);
      await controller.kill(); // two without leases would work against each other
      return { seconds: (ms / 1000).toFixed(1), seen, requests: stage.audit.requests(here) };
    }

    function judge(stage: Stage, what: string, requests: readonly AuditedRequest[]): void {
      expect(requests.filter(({ code }) => code === 409)).toEqual([]);
      expect(requests.filter(({ verb }) => reading.has(verb))).toEqual([]);
      const said = resources.map((resource) => {
        const created = requests.filter(
          (one) => one.verb === 'create' && one.resource === resource,
        );
        const statuses = counts(requests, 'update', `${resource}/status`);
        const sum = statuses.reduce((all, one) => all + one, 0);
        const mean = created.length === 0 ? 0 : sum / created.length;
        expect([resource, mean <= most[resource]]).toEqual([resource, true]);
        const highest = Math.max(...statuses);
        return `${resource} ${created.length}, statuses ${mean.toFixed(2)} (most ${highest})`;
      });
      stage.say(`${what}: ${said.join('; ')}`);
      stage.say(JSON.stringify(tally(requests)));
    }

    test(
      '10 x 10 x 10 makes each object once, without a conflict or a question',
      { timeout: 2 * limitMs },
      async () => {
        const stage = stageNow();
        const here = await stage.namespace('e2e-tens');
        const sets = indices(10).map((index) => wide(`s${index}`));
        const { seconds, requests } = await deployed(stage, here, sets);
        stage.say(`1,000 pods of 10 x 10 x 10 ready in ${seconds} s`);
        expect(tally(requests)).toMatchObject({
          'create podcliques 201': 1000,
          'create podcliquescalinggroups 201': 100,
          'create podgangs 201': 10,
          'create pods 201': 1000,
        });
        judge(stage, '10 x 10 x 10', requests);
      },
    );

    test(
      '200 replicas of prefill and decode open their gates within a second',
      { timeout: 2 * limitMs },
      async () => {
        const stage = stageNow();
        const here = await stage.namespace('e2e-serving');
        const { seconds, seen, requests } = await deployed(stage, here, [serving('llm', 200)]);
        stage.say(`1,200 pods of 200 replicas ready in ${seconds} s`);
        expect(tally(requests)).toMatchObject({
          'create podcliques 201': 1200,
          'create podcliquescalinggroups 201': 400,
          'create podgangs 201': 600,
          'create pods 201': 1200,
        });
        judge(stage, '200 replicas', requests);
        const delays = seen.delays();
        const last = Math.round(seen.lastOpened - seen.lastScheduled);
        const latest = Math.round(Math.max(...delays));
        stage.say(`${delays.length} gates, the last ${last} ms after the last base pod,`);
        stage.say(`none later than ${latest} ms after its own base gang`);
        expect(last).toBeLessThanOrEqual(1_000);
      },
    );
  });
});

const isGated = (pod: unknown): boolean => list(at(pod, 'spec', 'schedulingGates')).length > 0;
const isTrue = (pod: unknown, type: string): boolean =>
  list(at(pod, 'status', 'conditions')).some(
    (one) => at(one, 'type') === type && at(one, 'status') === 'True',
  );

/** Follows the pods of a namespace from now on. */
function watchPods(stage: Stage, here: string) {
  const gated = new Set<string>();
  const opened = new Map<string, { readonly gang: string; readonly at: number }>();
  /** When the last pod of a base gang was scheduled. */
  const scheduled = new Map<string, number>();
  const bound = new Set<string>();
  let isOver = false;
  let close = (): void => {};
  const follow = (): void => {
    close = stage.transport.watch(`/api/v1/namespaces/${here}/pods?watch=true`, {
      event: ({ object }) => {
        if (!isObject(object)) return;
        const name = text(at(object, 'metadata', 'name'));
        const labels = at(object, 'metadata', 'labels');
        const base = text(at(labels, 'grove.io/base-podgang'));
        const now = performance.now();
        if (isGated(object)) gated.add(name);
        else if (gated.delete(name)) opened.set(name, { gang: base, at: now });
        if (base === '' && isTrue(object, 'PodScheduled') && !bound.has(name)) {
          bound.add(name);
          scheduled.set(text(at(labels, 'grove.io/podgang')), now);
        }
      },
      // A server ends watches that read too slowly.
      closed: () => {
        if (!isOver) follow();
      },
    });
  };
  follow();
  return {
    close: () => {
      isOver = true;
      close();
    },
    delays: () =>
      [...opened.values()].map(({ gang, at: when }) => when - (scheduled.get(gang) ?? 0)),
    get lastScheduled() {
      return Math.max(...scheduled.values());
    },
    get lastOpened() {
      return Math.max(...Array.from(opened.values(), ({ at: when }) => when));
    },
  };
}
