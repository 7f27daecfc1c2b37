// The objects of a simulated day of warm pools, as users and the oracles see them: read by path,
// and never by the decoders under test.
import type { Store } from '#src/devcluster/api/store/store.ts';
import type { Stored } from '#src/devcluster/contract.ts';
import { at, labelsOf, listAt, numberAt, textAt, uidOf } from '../fields.ts';

export const namespace = 'default';
const group = 'agents.x-k8s.io';

export const collections = {
  sandboxes: `${group}/sandboxes`,
  pools: `extensions.${group}/sandboxwarmpools`,
  claims: `extensions.${group}/sandboxclaims`,
  templates: `extensions.${group}/sandboxtemplates`,
  policies: 'networking.k8s.io/networkpolicies',
  pods: '/pods',
  services: '/services',
  volumes: '/persistentvolumeclaims',
  nodes: '/nodes',
} as const;

export type What = keyof typeof collections;

const core = `/api/v1/namespaces/${namespace}`;
const extensions = `/apis/extensions.${group}/v1beta1/namespaces/${namespace}`;
export const paths = {
  sandboxes: `/apis/${group}/v1beta1/namespaces/${namespace}/sandboxes`,
  pools: `${extensions}/sandboxwarmpools`,
  claims: `${extensions}/sandboxclaims`,
  templates: `${extensions}/sandboxtemplates`,
  pods: `${core}/pods`,
  nodes: '/api/v1/nodes',
} as const;

export const label = {
  pool: `${group}/warm-pool-sandbox`,
  template: `${group}/sandbox-template-ref-hash`,
  launch: `${group}/launch-type`,
  claimUid: `${group}/claim-uid`,
  sandbox: `${group}/sandbox-name-hash`,
} as const;
export const assignment = `${group}/sandbox-name`;
export const podName = `${group}/pod-name`;
/** On claims, by users: what is wrong with it for good. */
export const wrong = 'test/wrong';

export const all = (store: Store, what: What): readonly Stored[] =>
  store.collection(collections[what]).list();

export const find = (store: Store, what: What, name: string): Stored | undefined =>
  store.collection(collections[what]).get(namespace, name);

export const nameOf = (object: unknown): string => textAt(object, 'metadata', 'name');
export const versionOf = (object: unknown): string => textAt(object, 'metadata', 'resourceVersion');
export const annotationOf = (object: unknown, key: string): string =>
  textAt(object, 'metadata', 'annotations', key);
export const isGoing = (object: unknown): boolean =>
  at(object, 'metadata', 'deletionTimestamp') !== undefined;

export interface Owner {
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
}

/** All that say that they control it. */
export const controllersOf = (object: unknown): readonly Owner[] =>
  listAt(object, 'metadata', 'ownerReferences')
    .filter((owner) => at(owner, 'controller') === true)
    .map((owner) => ({
      kind: textAt(owner, 'kind'),
      name: textAt(owner, 'name'),
      uid: textAt(owner, 'uid'),
    }));

export const controllerOf = (object: unknown): Owner | undefined => controllersOf(object)[0];

export const isOf = (object: unknown, kind: string, uid: string): boolean =>
  controllersOf(object).some((owner) => owner.kind === kind && owner.uid === uid);

export interface Condition {
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

/** All empty where there is none. */
export function conditionOf(object: unknown, type: string): Condition {
  const found = listAt(object, 'status', 'conditions').find((one) => textAt(one, 'type') === type);
  const [status, reason, message] = ['status', 'reason', 'message'].map((name) =>
    textAt(found, name),
  );
  return { status: status ?? '', reason: reason ?? '', message: message ?? '' };
}

export const isReady = (object: unknown): boolean => conditionOf(object, 'Ready').status === 'True';
export const ipsOf = (sandbox: unknown): string => listAt(sandbox, 'status', 'podIPs').join(' ');
export const podIpsOf = (pod: unknown): string =>
  listAt(pod, 'status', 'podIPs')
    .map((one) => textAt(one, 'ip'))
    .join(' ');
export const phaseOf = (pod: unknown): string => textAt(pod, 'status', 'phase');
export const isSuspended = (sandbox: unknown): boolean =>
  textAt(sandbox, 'spec', 'operatingMode') === 'Suspended';

export const poolOf = (claim: unknown): string => textAt(claim, 'spec', 'warmPoolRef', 'name');
export const templateOf = (pool: unknown): string =>
  textAt(pool, 'spec', 'sandboxTemplateRef', 'name');
export const replicasOf = (pool: unknown): number => numberAt(pool, 'spec', 'replicas');
export const isRecreating = (pool: unknown): boolean =>
  textAt(pool, 'spec', 'updateStrategy', 'type') === 'Recreate';
/** The Sandbox that its status names. */
export const boundTo = (claim: unknown): string => textAt(claim, 'status', 'sandbox', 'name');
export const claimIpsOf = (claim: unknown): string =>
  listAt(claim, 'status', 'sandbox', 'podIPs').join(' ');
export const needsOwn = (claim: unknown): boolean =>
  listAt(claim, 'spec', 'env').length + listAt(claim, 'spec', 'volumeClaimTemplates').length > 0;
const imageOf = (object: unknown): string =>
  textAt(listAt(object, 'spec', 'podTemplate', 'spec', 'containers')[0], 'image');
/** What a member of a template is made of, as far as templates of a day differ: a managed policy
 *  without rules takes the DNS of the cluster away (spec agent-sandbox 2.2). */
export const blueprintOf = (template: unknown): string =>
  textAt(template, 'spec', 'networkPolicyManagement') === 'Unmanaged'
    ? `${imageOf(template)} `
    : `${imageOf(template)} None`;
export const madeOf = (sandbox: unknown): string =>
  `${imageOf(sandbox)} ${textAt(sandbox, 'spec', 'podTemplate', 'spec', 'dnsPolicy')}`;

/** Of a claim or a Sandbox; NaN: none. */
export const shutdownOf = (spec: unknown): number => Date.parse(textAt(spec, 'shutdownTime'));

export const membersOf = (store: Store, pool: unknown): readonly Stored[] =>
  all(store, 'sandboxes').filter((one) => isOf(one, 'SandboxWarmPool', uidOf(pool)));

/** 32-bit FNV-1a (spec agent-sandbox 1.6). */
export function nameHash(name: string): string {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(name)) hash = Math.imul(hash ^ byte, 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, '0');
}

export const hasLabel = (object: unknown, key: string, value: string): boolean =>
  labelsOf(object)[key] === value;
