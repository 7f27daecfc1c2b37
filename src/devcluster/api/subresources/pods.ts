// The subresources that only pods have: binding (how a scheduler places one), eviction (a delete
// that asks the disruption budgets) and log.
import { fieldErrorTexts } from '#machines/kubernetes/field-errors.ts';
import { listAt, objectAt, textAt } from '#machines/kubernetes/fields.ts';
import { isObject } from '#machines/kubernetes/json.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import type { Stored } from '#src/devcluster/contract.ts';
import {
  bindPod,
  ignoresDisruptionBudgets,
  markEvicted,
} from '#src/devcluster/strategies/pods/binding.ts';
import { collectionOf, readDryRun } from '../call.ts';
import type { Call } from '../call.ts';
import { ApiError, badRequest, conflict, notFound, unexplained } from '../errors.ts';
import { nameOf } from '../store/collection.ts';
import { copyJson } from '../store/copy.ts';
import { deleteObject, readGrace } from '../verbs/delete.ts';
import { checkPreconditions } from '../verbs/meta.ts';
import { parseSelectorObject } from '../verbs/selectors.ts';
import { replace } from '../verbs/update.ts';
import { asExpected, objectMediaTypes, readJson, readObject } from '../wire/body.ts';
import { own, text } from '../wire/reply.ts';
import type { Reply } from '../wire/reply.ts';

const created: JsonObject = {
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Success',
  code: 201,
};

/** POST pods/{name}/binding. */
export async function bind(call: Call): Promise<Reply> {
  const binding = readObject(call.request, { apiVersion: 'v1', kind: 'Binding' });
  if (nameOf(binding) !== call.target.name) {
    throw badRequest('name in URL does not match name in Binding object');
  }
  return bindTo(call, binding);
}

/** POST bindings: the old address of the same, the pod is named by the body. */
export async function bindNamed(call: Call): Promise<Reply> {
  const binding = readObject(call.request, { apiVersion: 'v1', kind: 'Binding' });
  const pods = call.core.registry.find('', 'v1', 'pods');
  if (pods === undefined || nameOf(binding) === '') throw badRequest('metadata.name is required');
  const target = { ...call.target, plural: 'pods', name: nameOf(binding), subresource: 'binding' };
  return bindTo({ ...call, resource: pods, target }, binding);
}

async function bindTo(call: Call, binding: Stored): Promise<Reply> {
  const { name } = call.target;
  const now = call.core.environment.clock.now();
  await replace(call, 'UpdateOptions', (live) => {
    const pod = copyJson(live);
    const outcome = bindPod(pod, binding, { now, topology: topologyOf(call, binding) });
    if (outcome.ok) return { object: pod };
    if ('errors' in outcome) throw unexplained(fieldErrorTexts(outcome.errors));
    throw conflict({ group: '', plural: 'pods/binding', kind: 'Pod' }, name, outcome.conflict);
  });
  return own(copyJson(created), 201);
}

const topologyLabels = ['topology.kubernetes.io/zone', 'topology.kubernetes.io/region'];

/** The labels of its node that a pod gets with it. */
function topologyOf({ core }: Call, binding: Stored): JsonObject {
  const name = textAt(objectAt(binding, 'target'), 'name');
  const labels = objectAt(core.store.collection('/nodes').get('', name)?.metadata, 'labels') ?? {};
  return Object.fromEntries(Object.entries(labels).filter(([key]) => topologyLabels.includes(key)));
}

/** POST pods/{name}/eviction. */
export async function evict(call: Call): Promise<Reply> {
  const { namespace, name } = call.target;
  const body = readJson(call.request, objectMediaTypes);
  if (!isObject(body)) throw badRequest('the body of an eviction must be an object');
  const eviction = asExpected(body, { apiVersion: 'policy/v1', kind: 'Eviction' });
  if (nameOf(eviction) !== name) {
    throw badRequest('name in URL does not match name in Eviction object');
  }
  const pod = collectionOf(call).get(namespace, name);
  if (pod === undefined) throw notFound(call.resource, name);
  const options = objectAt(eviction, 'deleteOptions');
  const preconditions = objectAt(options, 'preconditions');
  const wanted = {
    uid: textAt(preconditions, 'uid'),
    resourceVersion: textAt(preconditions, 'resourceVersion'),
    dryRun: call.dryRun || readDryRun(listAt(options, 'dryRun').map(String), 'DeleteOptions'),
  };
  checkPreconditions(call.resource, pod, wanted);
  if (!ignoresDisruptionBudgets(pod)) requireBudget(call, pod);
  const grace = options?.['gracePeriodSeconds'];
  const graceSeconds = grace === undefined ? undefined : readGrace(grace);
  if (!wanted.dryRun) await mark(call);
  // Marking it has made another version of it.
  const rest = { ...wanted, resourceVersion: '', graceSeconds, policy: undefined };
  await deleteObject(call, namespace, name, rest);
  return own(copyJson(created), 201);
}

async function mark(call: Call): Promise<void> {
  const now = call.core.environment.clock.now();
  await replace(call, 'UpdateOptions', (live) => {
    const pod = copyJson(live);
    markEvicted(pod, now);
    return { object: pod };
  });
}

function requireBudget(call: Call, pod: Stored): void {
  const budgets = call.core.store.collection('policy/poddisruptionbudgets');
  for (const budget of budgets.list(call.target.namespace)) {
    const selector = objectAt(objectAt(budget, 'spec'), 'selector');
    if (selector === undefined || !parseSelectorObject(selector)(pod)) continue;
    const status = objectAt(budget, 'status');
    const allowed = status?.['disruptionsAllowed'];
    if (typeof allowed === 'number' && allowed > 0) continue;
    throw new ApiError({
      code: 429,
      reason: 'TooManyRequests',
      message: "Cannot evict pod as it would violate the pod's disruption budget.",
      details: { causes: [{ reason: 'DisruptionBudget', message: whyNot(budget, status) }] },
    });
  }
}

function whyNot(budget: Stored, status: JsonObject | undefined): string {
  const wanted = Number(status?.['desiredHealthy'] ?? 0);
  const healthy = Number(status?.['currentHealthy'] ?? 0);
  const budgetName = nameOf(budget);
  return `The disruption budget ${budgetName} needs ${wanted} healthy pods and has ${healthy} currently`;
}

/** GET pods/{name}/log: the simulated containers run nothing, and the log says so. */
export function log(call: Call): Reply {
  const { namespace, name } = call.target;
  const pod = collectionOf(call).get(namespace, name);
  if (pod === undefined) throw notFound(call.resource, name);
  const phase = textAt(objectAt(pod, 'status'), 'phase');
  if (phase === 'Pending' || phase === '') {
    throw badRequest(`container in pod "${name}" is waiting to start`);
  }
  return text(
    'The embedded cluster simulates its containers: they run no process and log nothing.\n',
  );
}
