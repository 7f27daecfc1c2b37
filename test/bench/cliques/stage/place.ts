// The namespace of one measurement: opened before it, and gone with all that is in it before the
// next one begins. Its name is always the same, as that of a driver is.
import { at, list } from '#machines/kubernetes/json.ts';
import type { KubeTransport } from '#src/kube/transport/transport.ts';
import { eventually } from '#test/support/eventually.ts';
import { get, must } from '#test/support/workload.ts';
import { openNamespace } from '../../workload.ts';
import { domainsIn, nameOf, podsIn } from '../clique.ts';
import type { Stage } from './stage.ts';

export const driverNamespace = 'nvidia-dra-driver';

export const openPlace = ({ client }: Stage): Promise<void> =>
  openNamespace(client, driverNamespace);

const held = [
  domainsIn(driverNamespace),
  `/apis/apps/v1/namespaces/${driverNamespace}/daemonsets`,
  `/apis/resource.k8s.io/v1/namespaces/${driverNamespace}/resourceclaimtemplates`,
];

/** The product, which has put finalizers on them, runs no more. */
async function letGo(client: KubeTransport): Promise<void> {
  for (const collection of held) {
    for (const one of list(at(await get(client, collection), 'items'))) {
      await must(client, {
        method: 'PATCH',
        path: `${collection}/${nameOf(one)}`,
        contentType: 'application/merge-patch+json',
        body: { metadata: { finalizers: null } },
      });
    }
  }
}

/** Longer than the removal of some thousand objects takes. */
const limitMs = 300_000;

export async function closePlace({ client, compact }: Stage): Promise<void> {
  const path = `/api/v1/namespaces/${driverNamespace}`;
  const body = { gracePeriodSeconds: 0 };
  await letGo(client);
  await must(client, { method: 'DELETE', path: podsIn(driverNamespace), body });
  await must(client, { method: 'DELETE', path });
  await eventually(
    `${driverNamespace} is gone`,
    () => client.request({ method: 'GET', path }),
    ({ status }) => status === 404,
    limitMs,
  );
  await compact();
}
