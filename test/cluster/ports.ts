// Free ports on loopback for the processes of a cluster. Drawn below the range from which Linux
// takes ports of outgoing connections: a process that is killed and started again must find its own
// port free.
import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

const lowest = 20_000;
const highest = 32_000;
const attempts = 200;

export type Ports = Readonly<Record<'api' | 'etcd' | 'peer' | 'manager' | 'scheduler', number>>;

/** Ports that were free a moment ago, all different. Throws when there are none. */
export async function freePorts(): Promise<Ports> {
  const found = new Set<number>();
  for (let attempt = 0; attempt < attempts && found.size < 5; attempt++) {
    const port = randomInt(lowest, highest);
    if (await isFree(port)) found.add(port);
  }
  const [api, etcd, peer, manager, scheduler] = found;
  if (!api || !etcd || !peer || !manager || !scheduler) {
    throw new Error(`no five free ports between ${lowest} and ${highest}`);
  }
  return { api, etcd, peer, manager, scheduler };
}

export function isFree(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
