// Random lives of valid sets on the embedded cluster with our webhooks: every edit that may not be
// is refused and changes nothing, every other one is taken, and what is there in the end is what a
// direct application of the final spec would have made.
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { at, list, object } from '#machines/kubernetes/json.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import type { Replaced } from '#src/admission/rule.ts';
import { installCrds } from '#src/dev/crds.ts';
import { createCluster } from '#src/devcluster/cluster.ts';
import type { KubeTransport } from '#src/kube/transport/transport.ts';
import { registerWebhooks, reviewInProcess } from '#test/support/admission.ts';
import { seeded, VirtualClock } from '#test/support/virtual-clock.ts';
import { replaced } from './examples.ts';
import { validSet } from './generate.ts';

const sets = '/apis/grove.io/v1alpha1/namespaces/default/podcliquesets';
const template = 'spec.template';
const clique = `${template}.cliques[0]`;

/** A cluster with our admission, and nothing that acts. */
async function cluster(): Promise<KubeTransport> {
  const made = createCluster({
    clock: new VirtualClock(),
    random: seeded(1),
    controllers: false,
    postReview: reviewInProcess,
  });
  onTestFinished(() => made.stop());
  await made.start();
  const transport = made.transport();
  await installCrds(transport);
  await registerWebhooks(transport);
  return transport;
}

interface Edit {
  readonly values: Replaced;
  readonly isAllowed: boolean;
}

const may = (arbitrary: fc.Arbitrary<Replaced>): fc.Arbitrary<Edit> =>
  arbitrary.map((values) => ({ values, isAllowed: true }));
const mayNot = (...all: readonly Replaced[]): fc.Arbitrary<Edit> =>
  fc.constantFrom(...all).map((values) => ({ values, isAllowed: false }));

const edit: fc.Arbitrary<Edit> = fc.oneof(
  may(fc.integer({ min: 0, max: 9 }).map((replicas) => ({ 'spec.replicas': replicas }))),
  may(fc.constantFrom('5m', '1h30m').map((delay) => ({ [`${template}.terminationDelay`]: delay }))),
  may(
    fc
      .boolean()
      .map((on) => ({ [`${template}.headlessServiceConfig`]: { publishNotReadyAddresses: on } })),
  ),
  may(
    fc
      .constantFrom('a', 'b')
      .map((tag) => ({ [`${clique}.spec.podSpec.containers[0].image`]: tag })),
  ),
  may(fc.constantFrom('x', 'y').map((team) => ({ [`${clique}.labels`]: { team } }))),
  may(fc.constantFrom('x', 'y').map((note) => ({ 'metadata.annotations': { note } }))),
  may(fc.constantFrom('low', null).map((name) => ({ [`${template}.priorityClassName`]: name }))),
  mayNot(
    { 'spec.replicas': -1 },
    { [`${template}.terminationDelay`]: '0s' },
    { [`${template}.cliqueStartupType`]: 'Sideways' },
    { [`${template}.cliques`]: [] },
    { [`${clique}.name`]: 'renamed' },
    { [`${clique}.spec.roleName`]: 'renamed' },
    { [`${clique}.spec.minAvailable`]: 9 },
    { [`${clique}.spec.replicas`]: -3 },
    { [`${clique}.spec.podSpec.schedulerName`]: 'nobody' },
    { [`${clique}.spec.podSpec.containers[0].env`]: [{ name: 'A' }, { name: 'A' }] },
    { [`${clique}.resourceSharing`]: [{ name: 'a', scope: 'PerReplica' }] },
    { [`${clique}.topologyConstraint`]: { pack: { required: 'rack' } } },
    { [`${template}.resourceSharing`]: [{ name: 'a', scope: 'AllReplicas', filter: {} }] },
    { "metadata.annotations['grove.io/mnnvl-group']": 'late' },
  ),
);

const copyOf = (value: unknown): JsonObject => JSON.parse(JSON.stringify(value)) as JsonObject;

describe('The life of a valid set', () => {
  it('takes what may be, refuses what may not, and ends as a direct application would', async () => {
    const transport = await cluster();
    const create = async (name: string, set: JsonObject) =>
      transport.request({
        method: 'POST',
        path: sets,
        body: replaced(set, {
          'metadata.name': name,
          'metadata.resourceVersion': null,
          'metadata.uid': null,
        }),
      });
    let count = 0;
    await fc.assert(
      fc.asyncProperty(
        validSet,
        fc.array(edit, { minLength: 20, maxLength: 20 }),
        async (set, edits) => {
          const name = `drawn-${count++}`;
          const created = await create(name, set);
          expect([created.status, at(created.body, 'message')]).toEqual([201, undefined]);
          let stored = copyOf(created.body);
          for (const { values, isAllowed } of edits) {
            const body = replaced(stored, values);
            const answer = await transport.request({
              method: 'PUT',
              path: `${sets}/${name}`,
              body,
            });
            expect([values, answer.status < 300]).toEqual([values, isAllowed]);
            const now = copyOf(
              (await transport.request({ method: 'GET', path: `${sets}/${name}` })).body,
            );
            if (!isAllowed) expect(now).toEqual(stored);
            stored = now;
          }
          const direct = await create(`${name}-direct`, stored);
          expect(at(direct.body, 'spec')).toEqual(object(stored['spec']));
          expect(list(at(stored, 'spec', 'template', 'cliques')).length).toBeGreaterThan(0);
        },
      ),
      { numRuns: 60 },
    );
  }, 60_000);
});
