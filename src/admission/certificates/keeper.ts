// Keeps the certificates of the webhooks (mode `auto`), or of the question server, in a Secret:
// makes them where there are none, rotates them, has them trusted, and hands what is to be served
// to the server. Any number of replicas may do so at once: each step is one write with the version
// that was read, and whoever is refused reads again and goes on from what the others did.
import type { Clock, Telemetry } from '#actors/ports.ts';
import { object } from '#machines/kubernetes/json.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import type { Configuration } from '#src/config/schema.ts';
import { failureOf, isSuccess } from '#src/kube/errors.ts';
import type { KubeTransport } from '#src/kube/transport/transport.ts';
import type { Registered } from '../webhook.ts';
import { planCertificates, type CertificateOptions } from './plan.ts';
import {
  afterStep,
  emptySecret,
  type Lifetimes,
  readSecret,
  servingPair,
  trustBundle,
} from './secret.ts';
import type { CertificateSource, CertificateUser, Identity } from './source.ts';
import { isTrustedBy, readTrusting, trust } from './trust.ts';

export interface KeeperOptions extends CertificateOptions, Lifetimes {
  readonly transport: KubeTransport;
  readonly clock: Clock;
  readonly log: Telemetry['log'];
  readonly namespace: string;
  readonly secretName: string;
  readonly usedBy: CertificateUser;
  /** That have to trust the authority before it signs. */
  readonly webhooks: readonly Registered[];
}

/** Of our Service; the first is the one by which our processes know each other. */
export function serviceNames({ admission: { serviceName } }: Configuration, namespace: string) {
  const service = `${serviceName}.${namespace}`;
  return [`${service}.svc`, serviceName, service, `${service}.svc.cluster.local`] as const;
}

/** More steps than a rotation has, and conflicts with as many replicas as anybody runs. */
const maxSteps = 20;

/** One pass: what is to be served after it. Rejects where the cluster cannot be asked. */
export const secretCertificates = (options: KeeperOptions): CertificateSource => ({
  current: () => pass(options),
});

async function pass(options: KeeperOptions): Promise<Identity> {
  const { transport, clock, webhooks, usedBy, log } = options;
  let isIssued = false;
  for (let step = 0; step < maxSteps; step += 1) {
    // Before the Secret: see `trust`.
    const configurations = await readTrusting(transport, webhooks);
    const secret = await readOrCreate(options);
    const kept = readSecret(secret);
    const [newest] = kept.authorities;
    const isTrusted = isTrustedBy(configurations, newest);
    const wanted = planCertificates(kept, options, clock.now(), isTrusted);
    // However far the clock has jumped meanwhile: what was served so far is trusted until the new
    // certificate is presented, and that is after this pass.
    const isEarly = wanted.do === 'forget' && isIssued;
    if (wanted.do !== 'nothing' && !isEarly) {
      const { do: what, why } = wanted;
      const isDone = await replace(options, await afterStep(secret, wanted, options, clock.now()));
      if (isDone) log('info', `changed the certificates of the ${usedBy}`, { what, why });
      isIssued ||= what === 'issue';
      continue;
    }
    const authorities = trustBundle(kept);
    await trust(transport, configurations, authorities);
    return { ...servingPair(secret), authorities };
  }
  throw new Error(`the certificates did not settle within ${maxSteps} steps`);
}

const pathOf = ({ namespace, secretName }: KeeperOptions): string =>
  `/api/v1/namespaces/${encodeURIComponent(namespace)}/secrets/${encodeURIComponent(secretName)}`;

async function readOrCreate(options: KeeperOptions): Promise<JsonObject> {
  const { transport, namespace, secretName, usedBy } = options;
  const path = pathOf(options);
  const response = await transport.request({ method: 'GET', path });
  if (isSuccess(response)) return object(response.body);
  if (response.status !== 404) throw new Error(`${path}: ${failureOf(response).message}`);
  const created = await transport.request({
    method: 'POST',
    path: path.slice(0, path.lastIndexOf('/')),
    body: emptySecret(namespace, secretName, usedBy),
  });
  if (isSuccess(created)) return object(created.body);
  // Another replica made it (spec controllers 10.1 rule 12): theirs is as good.
  if (created.status === 409) return readOrCreate(options);
  throw new Error(`${path}: ${failureOf(created).message}`);
}

/** False: somebody else changed it meanwhile. */
async function replace(options: KeeperOptions, body: JsonObject): Promise<boolean> {
  const path = pathOf(options);
  const response = await options.transport.request({ method: 'PUT', path, body });
  if (isSuccess(response)) return true;
  if (response.status === 409 || response.status === 404) return false;
  throw new Error(`${path}: ${failureOf(response).message}`);
}
