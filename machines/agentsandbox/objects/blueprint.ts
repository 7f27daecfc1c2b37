// What is copied from a template into each Sandbox, with the secure defaults (spec agent-sandbox
// 2.2), and whether a Sandbox was made from it (2.3.4). Used by warm pools and claims.
import { isObject } from '../../kubernetes/json.ts';
import { canonical, shortHash } from '../../kubernetes/hash.ts';
import type { Json, JsonObject } from '../../kubernetes/objects.ts';
import { amountOf } from '../../kubernetes/quantity.ts';
import { label } from './labels.ts';
import { nameHash } from './name-hash.ts';
import type { ObservedSandbox } from './sandbox.ts';
import type { ObservedTemplate } from './template.ts';

type Made = Pick<ObservedTemplate, 'podTemplate' | 'volumeClaimTemplates' | 'service'>;

export interface Blueprint extends Made {
  /** Of all that counts: blueprints with equal hashes are equal, whatever their notation. */
  readonly hash: string;
  /** Of the pod template alone. */
  readonly podTemplateHash: string;
}

const known = new WeakMap<ObservedTemplate, Blueprint>();

/** The same one for the same template: it may have a thousand members to be made. */
export function blueprintOf(template: ObservedTemplate): Blueprint {
  const before = known.get(template);
  if (before !== undefined) return before;
  const { volumeClaimTemplates, service } = template;
  const podTemplate = { ...template.podTemplate, spec: securePodSpec(template) };
  const made: Made = { podTemplate, volumeClaimTemplates, service };
  const blueprint = { ...made, hash: hashOf(made), podTemplateHash: hash(podTemplate.spec) };
  known.set(template, blueprint);
  return blueprint;
}

const publicNameservers = ['8.8.8.8', '1.1.1.1'];

/** Without a token, and without the DNS of the cluster where the default network policy holds. */
function securePodSpec({ podTemplate, networkPolicy, isPolicyManaged }: ObservedTemplate) {
  const { spec } = podTemplate;
  const given: JsonObject = isObject(spec) ? spec : {};
  const isIsolated = isPolicyManaged && networkPolicy === undefined && !given['dnsPolicy'];
  const dns: JsonObject = isIsolated
    ? { dnsPolicy: 'None', dnsConfig: { nameservers: publicNameservers } }
    : {};
  const { automountServiceAccountToken: mounts } = given;
  return { ...given, automountServiceAccountToken: mounts ?? false, ...dns };
}

/** Under Recreate such a member is replaced, and no claim gets it. */
export function isStale(sandbox: ObservedSandbox, template: ObservedTemplate): boolean {
  const { labels, controller } = sandbox;
  if (labels[label.templateRefHash] !== nameHash(template.name)) return true;
  const blueprint = blueprintOf(template);
  if (controller !== undefined && labels[label.templateHash] === blueprint.hash) return false;
  return hashOf(sandbox) !== blueprint.hash;
}

/** Metadata does not count (R44), nor by whom a hash was written. */
function hashOf({ podTemplate, volumeClaimTemplates, service }: Made): string {
  const claims = volumeClaimTemplates.map(({ metadata, spec }) => ({
    name: isObject(metadata) ? metadata['name'] : undefined,
    spec,
  }));
  return hash({ spec: podTemplate['spec'], claims, service });
}

const hash = (value: unknown): string => shortHash(canonical(plain(value)), 11);

/** Of resources, by the name of the field that holds them: equal by amount. */
const amounts: ReadonlySet<string> = new Set(['requests', 'limits', 'overhead', 'capacity']);
const amount: ReadonlySet<string> = new Set(['sizeLimit', 'divisor']);
/** Without entries they say what an absent one says. */
const maps: ReadonlySet<string> = new Set([
  ...amounts,
  'resources',
  'nodeSelector',
  'matchLabels',
  'labels',
  'annotations',
]);

/** One notation for what means the same: an amount is a number, what is empty is absent. */
function plain(value: unknown, field = ''): unknown {
  if (Array.isArray(value)) {
    return value.length === 0 ? undefined : value.map((item) => plain(item));
  }
  if (amount.has(field)) return amountOf(value) ?? value;
  if (!isObject(value)) return value ?? undefined;
  const entries = Object.entries(value).flatMap(([name, of]): [string, unknown][] => {
    const isOne = amounts.has(field) && !isObject(of);
    const one = isOne ? (amountOf(of) ?? of) : plain(of, name);
    return one === undefined ? [] : [[name, one]];
  });
  return entries.length === 0 && maps.has(field) ? undefined : Object.fromEntries(entries);
}

/** A copy with these added to its metadata. */
export function withPodMetadata(
  podTemplate: JsonObject,
  labels: Readonly<Record<string, string>>,
  annotations: Readonly<Record<string, string>>,
): JsonObject {
  const { metadata: given } = podTemplate;
  const metadata: JsonObject = isObject(given) ? given : {};
  const added = (field: 'labels' | 'annotations', more: Readonly<Record<string, string>>): Json => {
    const { [field]: old } = metadata;
    return { ...(isObject(old) ? old : {}), ...more };
  };
  return {
    ...podTemplate,
    metadata: {
      ...metadata,
      labels: added('labels', labels),
      annotations: added('annotations', annotations),
    },
  };
}
