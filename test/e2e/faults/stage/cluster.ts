// The cluster under a scenario, the same to it whether it is the embedded one or a real control
// plane: how to reach it, and eyes that see what really happens there. Called by describe.ts.
import { loadConnection } from '#src/kube/connect/config.ts';
import type { KubeConnection } from '#src/kube/connect/connection.ts';
import { type HttpTransport, httpTransport } from '#src/kube/transport/http.ts';
import { systemClock } from '#src/time/clock.ts';
import { releaseNamespace } from '#test/cluster/chart.ts';
import { Onlooker } from '#src/bench/onlooker.ts';
import { Place } from '#test/support/place.ts';
import type { Given } from '../../real/given.ts';

export interface Cluster {
  /** For the files of the scenarios; it goes with the run. */
  readonly folder: string;
  /** What the proxy connects with: the rights of the controller. */
  readonly connection: KubeConnection;
  /** Reaches the cluster directly, as a user does. */
  readonly client: HttpTransport;
  readonly onlooker: Onlooker;
  /** Where the controller may have Leases. */
  readonly leaseNamespace: string;
  end(): Promise<void>;
}

/** A process of its own, started for the test file. */
export async function embeddedCluster(): Promise<Cluster> {
  const place = new Place();
  try {
    await place.start({ nodes: 20 });
  } catch (error) {
    await place.end();
    throw error;
  }
  const { folder, connection, client, onlooker } = place;
  const leaseNamespace = 'default';
  return { folder, connection, client, onlooker, leaseNamespace, end: () => place.end() };
}

/** The one that the tests on the real control plane share. */
export async function realCluster(given: Given): Promise<Cluster> {
  const connect = (file: string): Promise<KubeConnection> => loadConnection({ file }, systemClock);
  const userAgent = 'coppice-test';
  const client = httpTransport(await connect(given.kubeconfig), { userAgent });
  const onlooker = new Onlooker(client);
  return {
    folder: given.root,
    connection: await connect(given.controllerKubeconfig),
    client,
    onlooker,
    leaseNamespace: releaseNamespace,
    end: async () => {
      onlooker.stop();
      await client.close();
    },
  };
}
