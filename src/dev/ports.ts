// Looks at the ports that a command is about to listen on, before anything is started: a busy one
// is reported with who holds it and the flag that chooses another. Called by dev.ts and cluster.ts.
import { isPortFree, portOwner } from '#src/natsserver/processes.ts';

export interface WantedPort {
  readonly port: number;
  /** e.g. `the API server` */
  readonly use: string;
  /** e.g. `--api-port` */
  readonly flag: string;
}

const host = '127.0.0.1';

/** Rejects with all that are taken; 0 means any free one and never is. */
export async function refuseBusyPorts(wanted: readonly WantedPort[]): Promise<void> {
  const busy: string[] = [];
  const seen = new Set<number>();
  for (const { port, use, flag } of wanted) {
    if (port === 0) continue;
    const choose = `choose another with ${flag} (0: any free one)`;
    if (seen.has(port)) busy.push(`port ${port} for ${use} is wanted twice: ${choose}`);
    else if (port > 65_535) busy.push(`port ${port} for ${use} is above 65535: ${choose}`);
    else if (!(await isPortFree(host, port))) {
      const owner = portOwner(port);
      busy.push(`port ${port} for ${use} is used by ${owner}: stop that one or ${choose}`);
    }
    seen.add(port);
  }
  if (busy.length > 0) throw new Error(busy.join('\n'));
}
