// The NetworkPolicy that all pods of a SandboxTemplate share: its name, its rules, and when two are
// the same (spec agent-sandbox 2.2, R70).
import { isEqual, isObject, list } from '../../kubernetes/json.ts';
import type { Json, JsonObject } from '../../kubernetes/objects.ts';
import { label } from './labels.ts';
import { nameHash } from './name-hash.ts';
import type { ObservedTemplate } from './template.ts';

export const policySuffix = '-network-policy';

export const policyName = (template: string): string => `${template}${policySuffix}`;

/** Private networks, link-local addresses and metadata servers, of both families. */
const blockedV4 = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '169.254.0.0/16'];
const blockedV6 = ['fc00::/7', 'fe80::/10'];

const defaultRules = (routerNamespace: string): JsonObject => ({
  ingress: [
    {
      from: [
        {
          podSelector: { matchLabels: { app: 'sandbox-router' } },
          namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': routerNamespace } },
        },
      ],
    },
  ],
  egress: [
    {
      to: [
        { ipBlock: { cidr: '0.0.0.0/0', except: blockedV4 } },
        { ipBlock: { cidr: '::/0', except: blockedV6 } },
      ],
    },
  ],
});

export function policySpec(
  { name, networkPolicy }: Pick<ObservedTemplate, 'name' | 'networkPolicy'>,
  routerNamespace: string,
): JsonObject {
  const { ingress, egress } = networkPolicy ?? defaultRules(routerNamespace);
  return {
    podSelector: { matchLabels: { [label.templateRefHash]: nameHash(name) } },
    policyTypes: ['Ingress', 'Egress'],
    ...(ingress === undefined ? {} : { ingress }),
    ...(egress === undefined ? {} : { egress }),
  };
}

/** What the server fills in, and that an empty list is none, is no difference. */
export const isSamePolicy = (one: JsonObject, other: JsonObject): boolean =>
  isEqual(normal(one), normal(other));

function normal(value: Json, field = ''): Json {
  if (Array.isArray(value)) {
    const items = value.map((item) => normal(item));
    return field === 'ports' ? items.map(withProtocol) : items;
  }
  if (!isObject(value)) return value;
  const entries = Object.entries(value)
    .filter(([, item]) => item !== null && !(Array.isArray(item) && list(item).length === 0))
    .map(([key, item]): [string, Json] => [key, normal(item, key)])
    .filter(([key, item]) => key !== 'matchLabels' || !isEqual(item, {}));
  return Object.fromEntries(entries);
}

const withProtocol = (port: Json): Json =>
  isObject(port) && port['protocol'] === undefined ? { ...port, protocol: 'TCP' } : port;
