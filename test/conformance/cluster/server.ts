// A server under test as a kubeconfig names it: the embedded cluster's own, or that of a real
// control plane.
import { loadConnection } from '#src/kube/connect/config.ts';
import { fixedCredentials } from '#src/kube/connect/connection.ts';
import { httpTransport } from '#src/kube/transport/http.ts';
import type { HttpTransport } from '#src/kube/transport/http.ts';
import { systemClock } from '#src/time/clock.ts';
import type { ConformanceServer } from './session.ts';

const userAgent = 'coppice-conformance';

export interface ConnectedServer {
  readonly server: ConformanceServer;
  readonly close: () => Promise<void>;
}

export async function serverAt(kubeconfig: string): Promise<ConnectedServer> {
  const connection = await loadConnection({ file: kubeconfig }, systemClock);
  const opened: HttpTransport[] = [httpTransport(connection, { userAgent })];
  const [transport] = opened;
  if (transport === undefined) throw new Error('no transport');
  return {
    server: {
      transport,
      withToken: (token) => {
        const credentials = fixedCredentials({ headers: { authorization: `Bearer ${token}` } });
        const other = httpTransport({ ...connection, credentials }, { userAgent });
        opened.push(other);
        return other;
      },
    },
    close: async () => {
      await Promise.all(opened.map((each) => each.close()));
    },
  };
}
