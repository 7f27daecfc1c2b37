// What the cluster must offer before the controller starts (spec controllers 9.1, step 4): with
// network.autoMNNVLEnabled the API of ComputeDomains. Without it only what an earlier configuration
// left behind is looked for, since nobody else would let go of that. Called by edge.ts.
import type { Clock } from '#actors/ports.ts';
import { component, label } from '#machines/grove/objects/labels.ts';
import { list, object } from '#machines/kubernetes/json.ts';
import type { Configuration } from '#src/config/schema.ts';
import { isSuccess } from '#src/kube/errors.ts';
import { collectionPath } from '#src/kube/paths.ts';
import type { PreflightOptions } from '../edge.ts';
import { requireServed } from '../served.ts';

interface Options extends Omit<PreflightOptions, 'configuration'> {
  readonly configuration: Pick<Configuration, 'network'>;
}

/** No start waits longer for what may have been left behind. */
const leftoversMs = 5_000;

/**
 * True where ComputeDomains are to be watched. Rejects with PrerequisiteError where they are wanted
 * and the API is not served.
 */
export async function watchesComputeDomains(options: Options): Promise<boolean> {
  if (!options.configuration.network.autoMNNVLEnabled) return hasLeftovers(options);
  await requireServed(['ComputeDomain'], options, {
    setting: 'network.autoMNNVLEnabled',
    remedy: "install NVIDIA's DRA driver with ComputeDomains, or turn it off",
  });
  return true;
}

/** The switch was on before. Where nobody may look, that is said and none is watched. */
async function hasLeftovers({ kube, transport, clock, log }: Options): Promise<boolean> {
  const found = await within(clock, kube.discover(['ComputeDomain']));
  if (found?.ok !== true || found.missing.length > 0) return false;
  const labelSelector = `${label.component}=${component.domain}`;
  const query = new URLSearchParams({ limit: '1', labelSelector }).toString();
  const path = `${collectionPath('ComputeDomain')}?${query}`;
  const asked = transport.request({ method: 'GET', path }).catch(() => undefined);
  const response = await within(clock, asked);
  if (response === undefined || !isSuccess(response)) {
    const status = response === undefined ? 'no answer' : response.status;
    log.line('info', 'cannot see whether there are ComputeDomains of PodCliqueSets', { status });
    return false;
  }
  const isThere = list(object(response.body)['items']).length > 0;
  if (isThere) {
    log.line('warn', 'ComputeDomains are there although network.autoMNNVLEnabled is false', {
      consequence: 'none is made; each goes with its PodCliqueSet',
    });
  }
  return isThere;
}

/** Undefined where there is no answer in time. */
const within = <T>(clock: Clock, answer: Promise<T>): Promise<T | undefined> =>
  new Promise((resolve, reject) => {
    const cancel = clock.at(clock.now() + leftoversMs, () => resolve(undefined));
    answer.then(resolve, reject).finally(cancel);
  });
