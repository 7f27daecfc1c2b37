// What the enabled scheduler backends need of the cluster before the controller starts (spec
// controllers 8.4 and 9.1, step 6): a CRD that knows a field, without which gangs would be placed
// piece by piece. A cluster without it is told so as an Event on the CRD. Called by edge.ts.
import type { Capability } from '#machines/grove/scheduler/backend.ts';
import { backends } from '#machines/grove/scheduler/backends.ts';
import { at, isObject, list, text } from '#machines/kubernetes/json.ts';
import type { Configuration } from '#src/config/schema.ts';
import { retryUntil } from '#src/controller/retry.ts';
import { failureOf, isSuccess, unreachable } from '#src/kube/errors.ts';
import { newEvent } from '#src/kube/write.ts';
import type { PreflightOptions } from '../edge.ts';
import { BackendError } from '../errors.ts';

export interface CapabilityOptions extends Pick<PreflightOptions, 'transport' | 'clock' | 'log'> {
  readonly configuration: Pick<Configuration, 'scheduler'>;
}

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

/** Rejects with BackendError where an enabled backend lacks something. */
export async function checkBackends(options: CapabilityOptions): Promise<void> {
  const enabled = options.configuration.scheduler.profiles.map(({ name }) => name);
  for (const { name, capability } of backends) {
    if (capability === undefined || !enabled.some((one) => one === name)) continue;
    const { definition, problem } = await lookAt(options, capability);
    if (problem === undefined) continue;
    if (definition !== undefined) await tell(options, capability, definition, problem);
    throw new BackendError(`scheduler.profiles has ${name}, and ${problem}`);
  }
}

interface Finding {
  /** The CRD, where it is there. */
  readonly definition?: unknown;
  readonly problem?: string;
}

async function lookAt(
  { transport, clock, log }: CapabilityOptions,
  capability: Capability,
): Promise<Finding> {
  const { crd } = capability;
  const path = `${definitions}/${crd}`;
  const answer = await retryUntil(
    clock,
    async () => {
      const response = await transport.request({ method: 'GET', path }).catch(unreachable);
      if (!('body' in response)) return response;
      if (isSuccess(response)) return { ok: true, definition: response.body };
      const failure = failureOf(response);
      return failure.code === 'NOT_FOUND' ? { ok: true, definition: undefined } : failure;
    },
    ({ code, message }) =>
      log.line('warn', 'a CRD cannot be read, it is tried again', { crd, code, error: message }),
  );
  if (!answer.ok) {
    return { problem: `the CRD ${crd} cannot be read: ${answer.code}: ${answer.message}` };
  }
  if (answer.definition === undefined) return { problem: `the CRD ${crd} is not installed` };
  return judge(answer.definition, capability);
}

function judge(definition: unknown, { crd, version, specField }: Capability): Finding {
  const served = list(at(definition, 'spec', 'versions')).find(
    (one) => at(one, 'name') === version && at(one, 'served') === true,
  );
  if (served === undefined) {
    return { definition, problem: `the CRD ${crd} does not serve the version ${version}` };
  }
  const fields = at(served, 'schema', 'openAPIV3Schema', 'properties', 'spec', 'properties');
  if (at(fields, specField) !== undefined) return {};
  const problem = `the CRD ${crd} has no spec.${specField} in ${version}; install a later one`;
  return { definition, problem };
}

/** Best effort: what matters is that the start ends. Named as client-go names Events. */
async function tell(
  { transport, clock, log }: CapabilityOptions,
  { crd, unavailable }: Capability,
  definition: unknown,
  problem: string,
): Promise<void> {
  const now = clock.now();
  const metadata = at(definition, 'metadata');
  const involved = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    name: crd,
    ...(isObject(metadata) ? { uid: text(metadata['uid']) } : {}),
  };
  const event = newEvent('default', involved, {
    name: `${crd}.${now.toString(16)}`,
    severity: 'Warning',
    reason: unavailable,
    note: problem,
    controller: 'scheduler-backend',
    count: 1,
    firstAt: now,
    lastAt: now,
  });
  const answer = await transport.request(event).catch(unreachable);
  if ('body' in answer && isSuccess(answer)) return;
  const { code, message } = 'body' in answer ? failureOf(answer) : answer;
  log.line('warn', 'an Event on a CRD was not written', { crd, code, error: message });
}
