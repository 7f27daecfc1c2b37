// The ports of the processes of a cluster.
import { freePort } from '#test/support/ports.ts';

export type Ports = Readonly<Record<'api' | 'etcd' | 'peer' | 'manager' | 'scheduler', number>>;

/** All different. */
export async function freePorts(): Promise<Ports> {
  const found = new Set<number>();
  while (found.size < 5) found.add(await freePort());
  const [api = 0, etcd = 0, peer = 0, manager = 0, scheduler = 0] = found;
  return { api, etcd, peer, manager, scheduler };
}
