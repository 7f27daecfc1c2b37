// The webhooks under Grove's names and paths (spec api 3.1), what is sent to each, and what it
// answers. Grove's row of src/modules/ and the tests take them from this table.
import { label, managedBy } from '#machines/grove/objects/labels.ts';
import { at } from '#machines/kubernetes/json.ts';
import type { Configuration } from '#src/config/schema.ts';
import type { WebhooksOf } from '#src/modules/edge.ts';
import { decide, decideEarly, ownerOf } from './authorize.ts';
import { defaulted, defaultingPatch } from './defaults.ts';
import { clusterLookups, gather, type Lookups } from './lookups.ts';
import { type AdmissionRequest, allowed, type Answer, invalid, refused } from './review.ts';
import type { AdmissionSettings } from './situation.ts';
import {
  adviseOn,
  type Finding,
  findBindingErrors,
  findSetErrors,
  isLeftAlone,
} from './validate.ts';
import { type SetView, viewSet } from './view.ts';
import type { RegisteredWebhook, WebhookRule } from './webhook.ts';

/** What the webhooks need of the process. */
export interface WebhookPorts {
  readonly settings: AdmissionSettings;
  readonly lookups: Lookups;
  /** User names that may change managed objects, the controller's own among them. */
  readonly trusted: readonly string[];
}

interface GroveWebhook extends RegisteredWebhook {
  readonly answer: (request: AdmissionRequest, ports: WebhookPorts) => Promise<Answer> | Answer;
}

const created = ['CREATE', 'UPDATE'];
const changed = ['UPDATE', 'DELETE'];
const all = ['CREATE', 'UPDATE', 'DELETE'];

const rule = (
  apiGroups: string[],
  apiVersions: string[],
  resources: string[],
  operations: string[],
  scope: WebhookRule['scope'] = 'Namespaced',
): WebhookRule => ({ apiGroups, apiVersions, resources, operations, scope });

const grove = ['v1alpha1'];
const ofSets = rule(['grove.io'], grove, ['podcliquesets'], created);

const usual = {
  mutating: false,
  optional: false,
  labels: {
    [label.managedBy]: managedBy,
    [label.component]: 'webhook',
    [label.partOf]: 'grove',
  },
};

const sets = 'grove.io/podcliquesets';
const bindings = 'grove.io/clustertopologybindings';

const webhooks: readonly GroveWebhook[] = [
  {
    configuration: 'podcliqueset-defaulting-webhook',
    name: 'pcs.defaulting.webhooks.grove.io',
    path: '/webhooks/default-podcliqueset',
    ...usual,
    mutating: true,
    rules: [ofSets],
    answer: (request) => of(request, sets, () => setDefaults(request)),
  },
  {
    configuration: 'podcliqueset-validating-webhook',
    name: 'pcs.validating.webhooks.grove.io',
    path: '/webhooks/validate-podcliqueset',
    ...usual,
    rules: [ofSets],
    answer: (request, ports) => of(request, sets, () => validateSet(request, ports)),
  },
  {
    configuration: 'clustertopology-validating-webhook',
    name: 'clustertopology.validating.webhooks.grove.io',
    path: '/webhooks/validate-clustertopology',
    ...usual,
    rules: [rule(['grove.io'], grove, ['clustertopologybindings'], created, 'Cluster')],
    answer: (request, ports) => of(request, bindings, () => validateBinding(request, ports)),
  },
  {
    configuration: 'authorizer-webhook',
    name: 'authorizer.webhooks.grove.io',
    path: '/webhooks/authorizer-webhook',
    ...usual,
    optional: true,
    about: { [label.managedBy]: managedBy },
    rules: [
      rule([''], ['v1'], ['secrets', 'serviceaccounts', 'services'], changed),
      rule([''], ['v1'], ['pods'], ['UPDATE']),
      rule(['rbac.authorization.k8s.io'], ['v1'], ['roles', 'rolebindings'], changed),
      rule(['autoscaling'], ['v1', 'v2'], ['horizontalpodautoscalers'], changed),
      rule(['grove.io'], grove, ['podcliques', 'podcliquescalinggroups'], all),
      rule(['scheduler.grove.io'], grove, ['podgangs'], all),
    ],
    answer: authorize,
  },
];

/** Only creation and update are judged; another resource was routed here by mistake. */
function of(
  request: AdmissionRequest,
  resource: string,
  judge: () => Promise<Answer> | Answer,
): Promise<Answer> | Answer {
  if (request.resource !== resource) {
    return refused(400, 'BadRequest', `expected ${resource}, got ${request.resource}`);
  }
  return request.operation === 'CREATE' || request.operation === 'UPDATE' ? judge() : allowed;
}

const isDeleting = (object: unknown): boolean =>
  at(object, 'metadata', 'deletionTimestamp') !== undefined;

/** An object that is being deleted is left as it is: a default could be what cannot change (spec
 *  controllers 10.1 rule 56). */
function setDefaults({ object }: AdmissionRequest): Answer {
  return isDeleting(object) ? allowed : { allowed: true, patch: defaultingPatch(object) };
}

async function validateSet(
  { object, oldObject, operation }: AdmissionRequest,
  { settings, lookups }: WebhookPorts,
): Promise<Answer> {
  const set = viewSet(object);
  // A set may be older than the registration of the webhooks: what they fill in now is no change.
  const before = isDeleting(object) ? oldObject : defaulted(oldObject);
  const old = operation === 'UPDATE' ? viewSet(before) : undefined;
  const subject = { set, settings, ...(old === undefined ? {} : { old }) };
  const isJudged = old === undefined || !isLeftAlone({ set, old });
  const found = isJudged ? await gather(subject, lookups) : {};
  const judged = { ...subject, found };
  return verdict('PodCliqueSet', set, findSetErrors(judged), adviseOn(judged));
}

const validateBinding = ({ object }: AdmissionRequest, { settings }: WebhookPorts): Answer =>
  verdict(
    'ClusterTopologyBinding',
    viewSet(object),
    findBindingErrors({ binding: object, settings }),
  );

function verdict(
  kind: string,
  { name }: Pick<SetView, 'name'>,
  found: readonly Finding[],
  warnings: readonly string[] = [],
): Answer {
  const errors = found.map(({ error }) => error);
  const answer = errors.length === 0 ? allowed : invalid({ kind, name }, errors);
  return { ...answer, warnings };
}

async function authorize(request: AdmissionRequest, ports: WebhookPorts): Promise<Answer> {
  const { operation, plural, namespace, name, user } = request;
  const subject = {
    operation,
    resource: plural,
    namespace,
    name,
    user,
    object: operation === 'CREATE' ? request.object : request.oldObject,
    trusted: ports.trusted,
  };
  const decision =
    decideEarly(subject) ??
    decide({ ...subject, set: await ports.lookups.set(namespace, ownerOf(subject)) });
  if (!decision.allowed) return refused(decision.code, decision.reason, decision.message);
  return decision.warning === undefined ? allowed : { allowed: true, warnings: [decision.warning] };
}

/** Webhooks that are served and registered. */
export const enabledWebhooks = (authorizer: boolean): readonly GroveWebhook[] =>
  webhooks.filter(({ optional }) => authorizer || !optional);

/** The same with what they need of the process. */
export const groveWebhooks: WebhooksOf = ({ configuration, transport, clock }) => {
  const settings = admissionSettings(configuration);
  const lookups = clusterLookups(transport, clock);
  return enabledWebhooks(configuration.authorizer.enabled).map((webhook) => ({
    ...webhook,
    answer: (request, trusted) => webhook.answer(request, { settings, lookups, trusted }),
  }));
};

const admissionSettings = (configuration: Configuration): AdmissionSettings => ({
  defaultSchedulerName: configuration.scheduler.defaultProfileName,
  schedulerNames: [
    ...new Set(['default-scheduler', ...configuration.scheduler.profiles.map(({ name }) => name)]),
  ],
  topologyAware: configuration.topologyAwareScheduling.enabled,
  autoMnnvl: configuration.network.autoMNNVLEnabled,
});
