// Whoever works at the centre while daemons join: NVIDIA's controller, which only rolls up and
// sweeps, the benchmark's own writer, or the product. One of these runs in each measurement, in a
// process of its own.
import type { RateLimit } from '#src/kube/transport/ratelimit.ts';
import type { RequestCounts } from '../../requests.ts';
import type { Pace } from '../pace.ts';
import type { Access } from '../wire.ts';

/** What the centre is told of the place in which daemons are about to join. */
export interface CentralWorld {
  readonly namespace: string;
  readonly access: Access;
  /** For a process that reads a file. */
  readonly kubeconfig: string;
  /** Of the one client at the centre. */
  readonly limit?: RateLimit | undefined;
  /** For those of the benchmark. */
  readonly pace: Pace;
}

export interface Central {
  /** Resolves when it serves: it has listed everything and watches. */
  start(world: CentralWorld): Promise<void>;
  /** Its own, by the name under which they are shown. */
  readonly pids: ReadonlyMap<string, number>;
  requests(): Promise<RequestCounts>;
  /** Resolves when it has nothing to do until somebody joins; absent: it never has. */
  idle?(): Promise<void>;
  stop(): Promise<void>;
}
