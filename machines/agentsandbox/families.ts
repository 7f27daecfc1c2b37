// The metric families of agent-sandbox, under its names (spec agent-sandbox 2.6.1), and the numbers
// that claims count in them. Namespace, template and pool are names of objects: the one exception
// to bounded labels, which the configuration can turn off.
import type { Measure } from '../contract/intents.ts';
import type { ActorGauge, MeasuredFamily } from '../contract/module.ts';
import { at, text, word } from '../kubernetes/json.ts';
import { epoch, type EpochMs } from '../kubernetes/time.ts';
import type { ObservedClaim } from './objects/claim.ts';
import { annotation, label } from './objects/labels.ts';
import { creatorOf } from './objects/pod-metadata.ts';
import { isReady, saysExpired } from './objects/sandbox.ts';
import type { ObservedSandbox } from './objects/sandbox.ts';

/** Milliseconds. */
const startUpBuckets = [
  100, 250, 500, 750, 1_000, 1_250, 1_500, 2_000, 2_500, 5_000, 10_000, 30_000, 60_000, 120_000,
  240_000,
];

const creationBuckets = [
  50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000, 60_000, 120_000, 240_000, 300_000,
  600_000,
];

const why = { source: 'agent-sandbox' } as const;

const ofStartUp = {
  type: 'histogram',
  why,
  labels: ['launch_type', 'sandbox_template'],
} as const;

export const agentSandboxFamilies = [
  {
    ...ofStartUp,
    name: 'agent_sandbox_claim_startup_latency_ms',
    help: 'Milliseconds from the webhook that saw a claim first to its first readiness',
    buckets: startUpBuckets,
  },
  {
    ...ofStartUp,
    name: 'agent_sandbox_claim_controller_startup_latency_ms',
    help: 'Milliseconds from the first sight of a claim by the controller to its first readiness',
    buckets: startUpBuckets,
  },
  {
    ...ofStartUp,
    name: 'agent_sandbox_client_claim_startup_latency_ms',
    help: 'Milliseconds from the request of the client to the first readiness of its claim',
    buckets: startUpBuckets,
  },
  {
    type: 'histogram',
    name: 'agent_sandbox_creation_latency_ms',
    why,
    help: 'Milliseconds from the creation of a claimed Sandbox to its readiness',
    labels: ['namespace', 'launch_type', 'sandbox_template'],
    buckets: creationBuckets,
  },
  {
    type: 'counter',
    name: 'agent_sandbox_claim_creation_total',
    why,
    help: 'Claims that got a Sandbox, out of a warm pool or made for them',
    labels: [
      'namespace',
      'sandbox_template',
      'launch_type',
      'warmpool_name',
      'pod_condition',
      'created_by',
    ],
  },
  {
    type: 'info',
    name: 'agent_sandbox_build_info',
    why,
    help: 'The build of this process: always 1',
    labels: ['git_version', 'git_commit', 'build_date', 'go_version', 'compiler', 'platform'],
  },
] as const satisfies readonly MeasuredFamily[];

/** A row for each combination that there is. */
export const sandboxGauge: ActorGauge = {
  name: 'agent_sandboxes',
  why,
  help: 'Sandboxes by namespace, state, template and owner',
  actor: 'sandbox',
  field: 'counted',
  labels: [
    'namespace',
    'ready_condition',
    'expired',
    'launch_type',
    'sandbox_template',
    'owned_by',
    'created_by',
  ],
};

const namesOfObjects: readonly string[] = ['namespace', 'sandbox_template', 'warmpool_name'];

/** The same family with no name of an object in its labels. */
export const bounded = <F extends { readonly labels: readonly string[] }>(family: F) => ({
  ...family,
  emptied: family.labels.filter((name) => namesOfObjects.includes(name)),
});

type Labels = Readonly<Record<string, string>>;

/** Of an object that says who made it; whoever is not known is `unknown`. */
export const createdBy = (labels: Labels): string => creatorOf(text(labels[label.createdBy]));

function launchType(labels: Labels): string {
  const type = text(labels[label.launchType]);
  return type === 'warm' || type === 'cold' ? type : 'unknown';
}

/** The field of `sandboxGauge`. */
export const countedAs = (sandbox: ObservedSandbox): Labels => ({
  namespace: sandbox.namespace,
  ready_condition: String(isReady(sandbox)),
  expired: String(saysExpired(sandbox)),
  launch_type: launchType(sandbox.labels),
  sandbox_template: word(sandbox.annotations[annotation.templateRef]) ?? 'unknown',
  owned_by: owners.find((kind) => kind === sandbox.controller?.kind) ?? 'None',
  created_by: createdBy(sandbox.labels),
});

const owners = ['SandboxClaim', 'SandboxWarmPool'] as const;

type Claim = Pick<ObservedClaim, 'namespace' | 'pool' | 'labels' | 'annotations'>;

const ofClaims = ({ annotations }: ObservedSandbox): string =>
  word(annotations[annotation.templateRef]) ?? '__unknown__';

/** A claim has got its Sandbox; `template` where no Sandbox says it yet. */
export const claimCreation = (
  claim: Claim,
  launch: 'warm' | 'cold',
  { template, isReady }: { readonly template: string | undefined; readonly isReady: boolean },
): Measure => ({
  type: 'measure',
  family: 'agent_sandbox_claim_creation_total',
  labels: {
    namespace: claim.namespace,
    sandbox_template: template ?? '__unknown__',
    launch_type: launch,
    warmpool_name: claim.pool,
    pod_condition: isReady ? 'ready' : 'not_ready',
    created_by: createdBy(claim.labels),
  },
  value: 1,
});

/** A claim is ready for the first time (2.6.2); `seenAt`: when its actor saw it first. What is not
 *  known, cannot be read or lies in the future is left out. */
export function startUps(
  { namespace, annotations }: Claim,
  sandbox: ObservedSandbox,
  { now, seenAt }: { readonly now: EpochMs; readonly seenAt: EpochMs | undefined },
): readonly Measure[] {
  const labels = {
    launch_type: launchType(sandbox.labels),
    sandbox_template: ofClaims(sandbox),
  };
  const since = (family: string, at: EpochMs | undefined, until: EpochMs | undefined = now) =>
    latency(`agent_sandbox_${family}_ms`, labels, at, until);
  const created = latency(
    'agent_sandbox_creation_latency_ms',
    { namespace, ...labels },
    sandbox.createdAt,
    epoch(at(sandbox.ready, 'lastTransitionTime')),
  );
  return [
    ...since('claim_startup_latency', epoch(annotations[annotation.webhookFirstObservedAt])),
    ...since('claim_controller_startup_latency', seenAt),
    ...created,
    ...since('client_claim_startup_latency', epoch(annotations[annotation.clientFirstRequestedAt])),
  ];
}

const latency = (
  family: string,
  labels: Labels,
  from: EpochMs | undefined,
  until: EpochMs | undefined,
): readonly Measure[] =>
  from === undefined || until === undefined || until < from
    ? []
    : [{ type: 'measure', family, labels, value: Math.floor(until - from) }];
