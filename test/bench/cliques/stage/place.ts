// The namespace of one measurement: opened before it, and gone with all that is in it before the
// next one begins. Its name is always the same, as that of a driver is.
import { eventually } from '#test/support/eventually.ts';
import { must } from '#test/support/workload.ts';
import { openNamespace } from '../../workload.ts';
import { podsIn } from '../clique.ts';
import type { Stage } from './stage.ts';

export const driverNamespace = 'nvidia-dra-driver';

export const openPlace = ({ client }: Stage): Promise<void> =>
  openNamespace(client, driverNamespace);

/** Longer than the removal of some thousand objects takes. */
const limitMs = 300_000;

export async function closePlace({ client, compact }: Stage): Promise<void> {
  const path = `/api/v1/namespaces/${driverNamespace}`;
  const body = { gracePeriodSeconds: 0 };
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
