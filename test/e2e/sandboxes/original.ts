// What agent-sandbox's controller leaves in a cluster, written by hand after its specification
// (1.5, 2.1 to 2.4): at rest, and in the middle of what it does. Pods are scheduled and run before
// anybody takes over.
import { nameHash } from '#machines/agentsandbox/objects/name-hash.ts';
import { at, list } from '#machines/kubernetes/json.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { isReady, type World } from '#test/devcluster/controllers/support.ts';
import { claim, claimed, containers, label, make, member, type Own, ownedBy } from './objects.ts';
import { pathOf, pod, podSpec, refHash, sandbox } from './objects.ts';

const assignedTo = (name: string): JsonObject => ({ [label('sandbox-name')]: name });

const seen = {
  [label('controller-first-observed-at')]: '2026-01-01T00:00:00.123456789Z',
  [label('claim-first-ready-at')]: '2026-01-01T00:00:01.123456789Z',
};

const condition = (type: string, status: string, reason: string, message: string): JsonObject => ({
  ...{ type, status, reason, message },
  lastTransitionTime: '2026-01-01T00:00:01Z',
  observedGeneration: 1,
});

const ready = condition('Ready', 'True', 'DependenciesReady', 'Pod is Ready');

async function withStatus(
  world: World,
  kind: Own,
  name: string,
  status: JsonObject,
): Promise<void> {
  const path = pathOf(kind, name);
  const { status: code } = await world.client.mergePatch(`${path}/status`, { status });
  if (code !== 200) throw new Error(`the status of ${name} was not taken: ${code}`);
}

/** As it is when its pod runs. */
async function runs(world: World, name: string): Promise<void> {
  const own = await world.get(pathOf('SandboxPod', name));
  await withStatus(world, 'Sandbox', name, {
    selector: `${label('sandbox-name-hash')}=${nameHash(name)}`,
    nodeName: String(at(own, 'spec', 'nodeName')),
    podIPs: list(at(own, 'status', 'podIPs')).map((one) => String(at(one, 'ip'))),
    conditions: [
      condition('PodScheduled', 'True', 'PodScheduled', ''),
      ready,
      condition('Suspended', 'False', 'NotSuspended', 'Sandbox is not suspended'),
    ],
  });
}

/** Ready, with the IPs of its Sandbox. */
async function bound(world: World, name: string, sandboxName: string): Promise<void> {
  const own = await world.get(pathOf('Sandbox', sandboxName));
  const podIPs = list(at(own, 'status', 'podIPs')).map(String);
  await withStatus(world, 'SandboxClaim', name, {
    conditions: [ready],
    sandbox: { name: sandboxName, podIPs },
  });
}

async function template(world: World): Promise<void> {
  const own = await make(
    world,
    'SandboxTemplate',
    { name: 'python', labels: refHash },
    { podTemplate: { metadata: { labels: { app: 'py' } }, spec: { containers } } },
  );
  const blocked = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '169.254.0.0/16'];
  const router = {
    namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'agent-sandbox-system' } },
    podSelector: { matchLabels: { app: 'sandbox-router' } },
  };
  await world.create(pathOf('TemplatePolicy'), {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { name: 'python-network-policy', ownerReferences: [ownedBy(own)] },
    spec: {
      podSelector: { matchLabels: refHash },
      policyTypes: ['Ingress', 'Egress'],
      ingress: [{ from: [router] }],
      egress: [
        {
          to: [
            { ipBlock: { cidr: '0.0.0.0/0', except: blocked } },
            { ipBlock: { cidr: '::/0', except: ['fc00::/7', 'fe80::/10'] } },
          ],
        },
      ],
    },
  });
}

/** A claim that expired a while ago and is kept; its Sandbox is gone. */
async function expired(world: World): Promise<void> {
  const shutdownTime = '2026-01-01T00:00:02Z';
  const lifecycle = { lifecycle: { shutdownTime, shutdownPolicy: 'Retain' } };
  await claim(
    world,
    'expired',
    { annotations: { ...assignedTo('warm-fffff'), ...seen } },
    lifecycle,
  );
  await withStatus(world, 'SandboxClaim', 'expired', {
    conditions: [
      condition('Finished', 'True', 'PodSucceeded', 'Pod completed successfully'),
      condition('Ready', 'False', 'ClaimExpired', 'Claim expired. Sandbox cleanup initiated.'),
    ],
  });
}

/** Without a pod, with what it had stored. */
async function suspended(world: World): Promise<void> {
  const own = await make(
    world,
    'Sandbox',
    { name: 'asleep' },
    {
      podTemplate: { spec: { containers } },
      operatingMode: 'Suspended',
      volumeClaimTemplates: [
        {
          metadata: { name: 'data' },
          spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
        },
      ],
    },
  );
  await world.create(pathOf('SandboxVolume'), {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: {
      name: 'data-asleep',
      labels: { [label('sandbox-name-hash')]: nameHash('asleep') },
      ownerReferences: [ownedBy(own)],
    },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  });
  await withStatus(world, 'Sandbox', 'asleep', {
    selector: `${label('sandbox-name-hash')}=${nameHash('asleep')}`,
    conditions: [
      condition('Ready', 'False', 'SandboxSuspended', 'Sandbox is suspended'),
      condition(
        'Suspended',
        'True',
        'PodTerminated',
        'Pod has been terminated. Sandbox is suspended',
      ),
    ],
  });
}

const members = ['warm-aaaaa', 'warm-bbbbb', 'warm-ccccc'];

/** Resolves when all pods run and every status says so. */
export async function leaveAll(world: World): Promise<void> {
  await template(world);
  const pool = await make(
    world,
    'SandboxWarmPool',
    { name: 'warm' },
    { replicas: members.length, sandboxTemplateRef: { name: 'python' } },
  );
  for (const name of members) await member(world, pool, name);
  const warm = await claim(world, 'bound', {
    annotations: { ...assignedTo('warm-ddddd'), ...seen },
  });
  await claimed(world, warm, 'warm-ddddd', { launch: 'warm' });
  const cold = await claim(world, 'cold', { annotations: seen });
  await claimed(world, cold, 'cold', { launch: 'cold' });
  const old = await claim(world, 'legacy', { labels: assignedTo('warm-eeeee'), annotations: seen });
  await claimed(world, old, 'warm-eeeee', { launch: 'warm', version: 'v1alpha1' });
  // It stopped after the creation of the Sandbox and before the status of the claim.
  const starting = await claim(world, 'starting');
  await claimed(world, starting, 'starting', { launch: 'cold' });
  // It stopped after the assignment and before the take-over.
  await claim(world, 'interrupted', { annotations: assignedTo('warm-ccccc') });
  const alone = await sandbox(
    world,
    { name: 'alone' },
    { metadata: { labels: { app: 'py' } }, spec: podSpec },
  );
  await pod(world, alone, {});
  const running = [...members, 'warm-ddddd', 'cold', 'warm-eeeee', 'starting', 'alone'];
  await world.until(
    'all pods run',
    () => world.stored('/pods').filter(isReady).length === running.length,
  );
  for (const name of running) await runs(world, name);
  await bound(world, 'bound', 'warm-ddddd');
  await bound(world, 'cold', 'cold');
  await bound(world, 'legacy', 'warm-eeeee');
  await withStatus(world, 'SandboxWarmPool', 'warm', {
    replicas: members.length,
    readyReplicas: members.length,
    selector: `${label('warm-pool-sandbox')}=${nameHash('warm')}`,
    observedGeneration: 1,
  });
  await expired(world);
  await suspended(world);
}
