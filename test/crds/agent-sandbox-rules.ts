// What the schemas of agent-sandbox's kinds demand, one row a rule, with an example that is
// accepted and those that are refused. The embedded API server and a real one are held to it
// (agent-sandbox.test.ts, test/conformance/cluster/agent-sandbox.ts).
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import type { Replaced } from '#src/admission/rule.ts';
import { replaced } from '#test/admission/examples.ts';

type Version = 'v1beta1' | 'v1alpha1';
export type SandboxKind = 'Sandbox' | 'SandboxTemplate' | 'SandboxClaim' | 'SandboxWarmPool';

const core = 'agents.x-k8s.io';
const extensions = 'extensions.agents.x-k8s.io';

export const groupOf = (kind: SandboxKind): string => (kind === 'Sandbox' ? core : extensions);

export const pluralOf = (kind: SandboxKind): string =>
  kind === 'Sandbox' ? 'sandboxes' : `${kind.toLowerCase()}s`;

/** Of the collection in a namespace. */
export const pathOf = (kind: SandboxKind, version: Version, namespace: string): string =>
  `/apis/${groupOf(kind)}/${version}/namespaces/${namespace}/${pluralOf(kind)}`;

const podTemplate: JsonObject = {
  spec: { schedulerName: 'nobody', containers: [{ name: 'main', image: 'example.org/main:1' }] },
};

const specs: Readonly<Record<SandboxKind, Readonly<Record<Version, JsonObject>>>> = {
  Sandbox: { v1beta1: { podTemplate }, v1alpha1: { podTemplate } },
  SandboxTemplate: { v1beta1: { podTemplate }, v1alpha1: { podTemplate } },
  SandboxClaim: {
    v1beta1: { warmPoolRef: { name: 'pool' } },
    v1alpha1: { sandboxTemplateRef: { name: 'template' } },
  },
  SandboxWarmPool: {
    v1beta1: { sandboxTemplateRef: { name: 'template' } },
    v1alpha1: { replicas: 2, sandboxTemplateRef: { name: 'template' } },
  },
};

/** A valid object with no more than it needs, and some values replaced. */
export const sandboxObject = (
  kind: SandboxKind,
  version: Version = 'v1beta1',
  values: Replaced = {},
): JsonObject =>
  replaced(
    {
      apiVersion: `${groupOf(kind)}/${version}`,
      kind,
      metadata: { name: 'base' },
      spec: specs[kind][version],
    },
    values,
  );

export interface SchemaRule {
  readonly id: string;
  readonly kind: SandboxKind;
  readonly versions: readonly Version[];
  readonly field: string;
  /** Continues "It must ...". */
  readonly demands: string;
  readonly accepts: Replaced;
  /** Of the object before; absent: it is created. */
  readonly before?: Replaced;
  /** Each with a part of the message. */
  readonly refuses: readonly (readonly [given: Replaced, says: string])[];
}

const both = ['v1beta1', 'v1alpha1'] as const;
const newer = ['v1beta1'] as const;
const old = ['v1alpha1'] as const;

type Where = Pick<SchemaRule, 'id' | 'kind' | 'versions' | 'field'>;

const where = (
  id: string,
  kind: SandboxKind,
  versions: readonly Version[],
  field: string,
): Where => ({ id, kind, versions, field });

const required = (at: Where): SchemaRule => ({
  ...at,
  demands: 'be there',
  accepts: {},
  refuses: [[{ [at.field]: null }, `${at.field}: Required value`]],
});

const word = (at: Where, ...words: readonly [string, ...string[]]): SchemaRule => ({
  ...at,
  demands: `be one of ${words.map((each) => `\`${each}\``).join(', ')}`,
  accepts: { [at.field]: words[0] },
  refuses: [
    [
      { [at.field]: 'Other' },
      `${at.field}: Unsupported value: "Other": supported values: ` +
        words.map((each) => `"${each}"`).join(', '),
    ],
  ],
});

const least = (at: Where, value = 0): SchemaRule => ({
  ...at,
  demands: `be ${value} or more`,
  accepts: { [at.field]: value },
  refuses: [
    [
      { [at.field]: value - 1 },
      `${at.field}: Invalid value: ${value - 1}: ${at.field} in body should be greater than or ` +
        `equal to ${value}`,
    ],
  ],
});

const moment = (at: Where): SchemaRule => ({
  ...at,
  demands: 'be a time of RFC 3339',
  accepts: { [at.field]: '2026-11-22T20:00:00Z' },
  refuses: [[{ [at.field]: 'tomorrow' }, `${at.field} in body must be of type date-time`]],
});

const typed = (at: Where, type: string, accepted: boolean | string): SchemaRule => ({
  ...at,
  demands: `be of the type ${type}`,
  accepts: { [at.field]: accepted },
  refuses: [[{ [at.field]: 7 }, `${at.field} in body must be of type ${type}: "integer"`]],
});

const claim = { metadata: { name: 'data' }, spec: { accessModes: ['ReadWriteOnce'] } };

const claims = (id: string, kind: SandboxKind, versions: readonly Version[]): SchemaRule => ({
  ...where(id, kind, versions, 'spec.volumeClaimTemplates[n].spec'),
  demands: 'be there',
  accepts: { 'spec.volumeClaimTemplates': [claim] },
  refuses: [
    [
      { 'spec.volumeClaimTemplates': [{ metadata: { name: 'data' } }] },
      'spec.volumeClaimTemplates[0].spec: Required value',
    ],
  ],
});

const fixed = 'spec: Invalid value: volumeClaimTemplates is immutable';
const fixedClaims: SchemaRule = {
  ...where('SB8', 'Sandbox', newer, 'spec.volumeClaimTemplates'),
  demands: 'stay as it is',
  before: { 'spec.volumeClaimTemplates': [claim] },
  accepts: { 'spec.operatingMode': 'Suspended' },
  refuses: [
    [{ 'spec.volumeClaimTemplates': null }, fixed],
    [{ 'spec.volumeClaimTemplates': [] }, fixed],
    [{ 'spec.volumeClaimTemplates': [claim, { ...claim, metadata: { name: 'more' } }] }, fixed],
    [{ 'spec.volumeClaimTemplates': [{ ...claim, metadata: { name: 'other' } }] }, fixed],
  ],
};

const variable = (id: string, field: 'name' | 'value'): SchemaRule => ({
  ...where(id, 'SandboxClaim', both, `spec.env[n].${field}`),
  demands: 'be there',
  accepts: { 'spec.env': [{ name: 'A', value: '' }] },
  refuses: [
    [
      { 'spec.env': [{ [field === 'name' ? 'value' : 'name']: 'A' }] },
      `spec.env[0].${field}: Required value`,
    ],
  ],
});

const sandboxRules: readonly SchemaRule[] = [
  required(where('SB1', 'Sandbox', both, 'spec')),
  required(where('SB2', 'Sandbox', both, 'spec.podTemplate')),
  required(where('SB3', 'Sandbox', both, 'spec.podTemplate.spec')),
  required(where('SB4', 'Sandbox', both, 'spec.podTemplate.spec.containers')),
  moment(where('SB5', 'Sandbox', both, 'spec.shutdownTime')),
  word(where('SB6', 'Sandbox', both, 'spec.shutdownPolicy'), 'Delete', 'Retain'),
  claims('SB7', 'Sandbox', both),
  fixedClaims,
  word(where('SB9', 'Sandbox', newer, 'spec.operatingMode'), 'Running', 'Suspended'),
  typed(where('SB10', 'Sandbox', both, 'spec.service'), 'boolean', false),
  least(where('SB11', 'Sandbox', old, 'spec.replicas')),
  {
    ...where('SB12', 'Sandbox', old, 'spec.replicas'),
    demands: 'be 1 or less',
    accepts: { 'spec.replicas': 1 },
    refuses: [[{ 'spec.replicas': 2 }, 'spec.replicas in body should be less than or equal to 1']],
  },
];

const policies = ['Allowed', 'Overrides', 'Disallowed'] as const;

const templateRules: readonly SchemaRule[] = [
  required(where('ST1', 'SandboxTemplate', both, 'spec')),
  required(where('ST2', 'SandboxTemplate', both, 'spec.podTemplate')),
  required(where('ST3', 'SandboxTemplate', both, 'spec.podTemplate.spec.containers')),
  word(
    where('ST4', 'SandboxTemplate', both, 'spec.networkPolicyManagement'),
    'Managed',
    'Unmanaged',
  ),
  word(where('ST5', 'SandboxTemplate', both, 'spec.envVarsInjectionPolicy'), ...policies),
  word(where('ST6', 'SandboxTemplate', newer, 'spec.volumeClaimTemplatesPolicy'), ...policies),
  claims('ST7', 'SandboxTemplate', both),
  {
    ...where('ST8', 'SandboxTemplate', both, 'spec.networkPolicy.egress[n].to[n].ipBlock.cidr'),
    demands: 'be there',
    accepts: { 'spec.networkPolicy.egress': [{ to: [{ ipBlock: { cidr: '10.0.0.0/8' } }] }] },
    refuses: [
      [
        { 'spec.networkPolicy.egress': [{ to: [{ ipBlock: {} }] }] },
        'spec.networkPolicy.egress[0].to[0].ipBlock.cidr: Required value',
      ],
    ],
  },
];

const claimRules: readonly SchemaRule[] = [
  required(where('SC1', 'SandboxClaim', both, 'spec')),
  required(where('SC2', 'SandboxClaim', newer, 'spec.warmPoolRef')),
  required(where('SC3', 'SandboxClaim', newer, 'spec.warmPoolRef.name')),
  required(where('SC4', 'SandboxClaim', old, 'spec.sandboxTemplateRef')),
  required(where('SC5', 'SandboxClaim', old, 'spec.sandboxTemplateRef.name')),
  moment(where('SC6', 'SandboxClaim', both, 'spec.lifecycle.shutdownTime')),
  least(where('SC7', 'SandboxClaim', both, 'spec.lifecycle.ttlSecondsAfterFinished')),
  word(
    where('SC8', 'SandboxClaim', both, 'spec.lifecycle.shutdownPolicy'),
    'Delete',
    'DeleteForeground',
    'Retain',
  ),
  variable('SC9', 'name'),
  variable('SC10', 'value'),
  claims('SC11', 'SandboxClaim', newer),
];

const poolRules: readonly SchemaRule[] = [
  required(where('SW1', 'SandboxWarmPool', both, 'spec')),
  required(where('SW2', 'SandboxWarmPool', both, 'spec.sandboxTemplateRef')),
  required(where('SW3', 'SandboxWarmPool', both, 'spec.sandboxTemplateRef.name')),
  required(where('SW4', 'SandboxWarmPool', old, 'spec.replicas')),
  least(where('SW5', 'SandboxWarmPool', both, 'spec.replicas')),
  word(
    where('SW6', 'SandboxWarmPool', both, 'spec.updateStrategy.type'),
    'Recreate',
    'OnReplenish',
  ),
];

export const schemaRules: readonly SchemaRule[] = [
  ...sandboxRules,
  ...templateRules,
  ...claimRules,
  ...poolRules,
];

/** Every rule in each of its versions. */
export const schemaCases = schemaRules.flatMap((rule) =>
  rule.versions.map((version) => ({ ...rule, version })),
);
