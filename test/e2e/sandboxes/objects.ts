// Objects as agent-sandbox's controller writes them (spec 1.5, 2.1.5, 2.3.8, 2.4.5): members of a
// warm pool, Sandboxes of claims, and their pods, which are real to the cluster.
import { nameHash } from '#machines/agentsandbox/objects/name-hash.ts';
import { at, text } from '#machines/kubernetes/json.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import type { Stored } from '#src/devcluster/contract.ts';
import { collectionPath } from '#src/kube/paths.ts';
import type { Kind } from '#machines/kinds.ts';
import type { World } from '#test/devcluster/controllers/support.ts';

const agents = 'agents.x-k8s.io';
const evictable = { 'cluster-autoscaler.kubernetes.io/safe-to-evict': 'true' };
const namespace = 'default';

export const label = (name: string): string => `${agents}/${name}`;

export const pathOf = (kind: Kind, name = ''): string =>
  `${collectionPath(kind, namespace)}${name === '' ? '' : `/${name}`}`;

const apiVersions = {
  Sandbox: `${agents}/v1beta1`,
  SandboxTemplate: `extensions.${agents}/v1beta1`,
  SandboxClaim: `extensions.${agents}/v1beta1`,
  SandboxWarmPool: `extensions.${agents}/v1beta1`,
} as const;

export type Own = keyof typeof apiVersions;

export const make = (
  world: World,
  kind: Own,
  metadata: JsonObject,
  spec: JsonObject,
): Promise<Stored> =>
  world.create(pathOf(kind), { apiVersion: apiVersions[kind], kind, metadata, spec });

const nameOf = (one: Stored): string => text(at(one, 'metadata', 'name'));
const uidOf = (one: Stored): string => text(at(one, 'metadata', 'uid'));

export const ownedBy = (owner: Stored, apiVersion = text(owner['apiVersion'])): JsonObject => ({
  apiVersion,
  kind: text(owner['kind']),
  name: nameOf(owner),
  uid: uidOf(owner),
  controller: true,
  blockOwnerDeletion: true,
});

export const containers: JsonObject[] = [{ name: 'main', image: 'python:3' }];

/** As it stands in a Sandbox: with the secure defaults of a template that has no rules. */
export const podSpec: JsonObject = {
  containers,
  automountServiceAccountToken: false,
  dnsPolicy: 'None',
  dnsConfig: { nameservers: ['8.8.8.8', '1.1.1.1'] },
};

export const refHash = { [label('sandbox-template-ref-hash')]: nameHash('python') };
export const poolLabel = { [label('warm-pool-sandbox')]: nameHash('warm') };
/** Of blueprints as Go prints them. */
const hashes = {
  [label('sandbox-template-hash')]: '0badc0de',
  [label('sandbox-pod-template-hash')]: 'deadbeef',
};

const ofTemplate = { [label('sandbox-template-ref')]: 'python' };

export async function sandbox(
  world: World,
  metadata: JsonObject & { readonly name: string },
  podTemplate: JsonObject,
): Promise<Stored> {
  const made = await make(world, 'Sandbox', metadata, { podTemplate });
  const { name } = metadata;
  const own = { [label('pod-name')]: name };
  await world.client.mergePatch(pathOf('Sandbox', name), { metadata: { annotations: own } });
  return made;
}

/** As the Sandbox controller makes it. */
export async function pod(
  world: World,
  owner: Stored,
  { labels = {}, annotations = {} }: { labels?: JsonObject; annotations?: JsonObject },
): Promise<void> {
  const name = nameOf(owner);
  const propagated = Object.keys(annotations).join();
  await world.create(pathOf('SandboxPod'), {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      labels: {
        app: 'py',
        [label('sandbox-name-hash')]: nameHash(name),
        ...labels,
      },
      annotations: {
        ...annotations,
        [label('propagated-labels')]: 'app',
        ...(propagated !== '' && { [label('propagated-annotations')]: propagated }),
      },
      ownerReferences: [ownedBy(owner)],
    },
    spec: podSpec,
  });
}

export async function member(world: World, pool: Stored, name: string): Promise<void> {
  const labels = { ...poolLabel, ...refHash, ...hashes };
  const own = await sandbox(
    world,
    {
      name,
      labels: { ...labels, [label('launch-type')]: 'warm', [label('created-by')]: 'controller' },
      annotations: ofTemplate,
      ownerReferences: [ownedBy(pool)],
    },
    { metadata: { labels: { app: 'py', ...labels }, annotations: evictable }, spec: podSpec },
  );
  const createdBy = { [label('created-by')]: 'controller' };
  const shown = { labels: { ...poolLabel, ...refHash, ...createdBy }, annotations: evictable };
  await pod(world, own, shown);
}

interface Claimed {
  readonly launch: 'warm' | 'cold';
  /** Of the owner: as it was when the Sandbox was claimed. */
  readonly version?: string;
}

export async function claimed(
  world: World,
  claim: Stored,
  name: string,
  { launch, version = 'v1beta1' }: Claimed,
): Promise<void> {
  const labels = { ...refHash, [label('claim-uid')]: uidOf(claim) };
  const own = await sandbox(
    world,
    {
      name,
      labels: { ...labels, [label('launch-type')]: launch },
      annotations: ofTemplate,
      ownerReferences: [ownedBy(claim, `extensions.${agents}/${version}`)],
    },
    { metadata: { labels: { app: 'py', ...labels } }, spec: podSpec },
  );
  await pod(world, own, { labels: refHash });
}

export const claim = (
  world: World,
  name: string,
  metadata: JsonObject = {},
  spec: JsonObject = {},
): Promise<Stored> =>
  make(world, 'SandboxClaim', { name, ...metadata }, { warmPoolRef: { name: 'warm' }, ...spec });
