// Histories that lead the chart of claims through every state: told to whoever traces states. Used
// by states.test.ts.
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { sandboxObject } from './objects.ts';
import type { Hooks } from './process.ts';
import { World } from './world.ts';

type Trace = NonNullable<Hooks['trace']>;

const expiring = (shutdownPolicy: string) => ({
  spec: { lifecycle: { shutdownTime: '2026-01-01T00:00:05Z', shutdownPolicy } },
});

function served(trace: Trace): void {
  const world = new World({ trace }).warm(1).claim().rest();
  world.remove('Sandbox', world.sandboxesOf('claim')[0] ?? '').rest();
  world.claim('short', expiring('DeleteForeground')).rest().pass(60_000).rest();
  world.remove('SandboxClaim', 'claim').rest();
}

function kept(trace: Trace): void {
  const world = new World({ trace }).warm(1).claim().deliver().land('patch SandboxClaim claim');
  const [member = ''] = world.sandboxes().map(({ metadata }) => metadata.name);
  world.land(`patch Sandbox ${member}`, 'forbidden').rest();
}

function missing(trace: Trace): void {
  const world = new World({ trace }).claim().rest().pool().rest();
  world.template().deliver();
  world.land('create Sandbox claim', 'forbidden').rest();
}

function refused(trace: Trace): void {
  const world = new World({ trace }).template({ envVarsInjectionPolicy: 'Allowed' }).pool();
  world.template({}, 'strict').pool({ name: 'strict', template: 'strict' });
  const claim = (name: string, pool: string, spec: JsonObject): World =>
    world.claim(name, { pool, spec }).rest();
  claim('env', 'strict', { env: [{ name: 'A', value: '1' }] });
  claim('volumes', 'strict', { volumeClaimTemplates: [{ metadata: { name: 'a' }, spec: {} }] });
  claim('container', 'pool', { env: [{ name: 'A', value: '1', containerName: 'nobody' }] });
  claim('metadata', 'pool', { additionalPodMetadata: { labels: { team: 'a' } } });
  world.server.create(sandboxObject('taken'));
  claim('taken', 'pool', {});
}

function strange(trace: Trace): void {
  const world = new World({ trace });
  const owner = { apiVersion: 'extensions.agents.x-k8s.io/v1beta1', kind: 'SandboxClaim' };
  world.server.create({
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: {
      name: 'late-network-policy',
      namespace: 'demo',
      ownerReferences: [{ ...owner, name: 'late', uid: 'uid-late', controller: true }],
    },
    spec: {},
  });
  world.deliver();
}

export const claimHistories: Readonly<Record<string, (trace: Trace) => void>> = {
  'a claim from its member to its end': served,
  'a claim whose member a webhook keeps': kept,
  'a claim whose pool and template come late': missing,
  'claims that ask for what they may not have': refused,
  'a policy of a claim that is not there': strange,
};
