// The cluster under a scenario, the same to it whether it is the embedded one on a virtual clock or
// a real control plane: how to reach it, eyes that see what happens there, and a controller that
// can be ended and started. Implemented by embedded.ts and real.ts, used by scene.ts.
import type { KubeTransport } from '#src/kube/transport/transport.ts';
import type { Onlooker } from '#src/bench/onlooker.ts';

export interface Cluster {
  /** Reaches the cluster as a user does. */
  readonly client: KubeTransport;
  readonly onlooker: Onlooker;
  /** The time there, in milliseconds. */
  now(): number;
  /** Resolves when the claim holds, and throws with what `tell` says where it never does. */
  until(what: string, claim: () => boolean, tell: () => unknown): Promise<void>;
  /** Closes a node and evicts its pods. */
  drain(node: string, namespace: string): Promise<void>;
  endController(): Promise<void>;
  startController(): Promise<void>;
}
