// What a run knows of a restore of its API server. Set by faults/restoring.ts, asked by the wires
// and the oracles.
import type { WatchSink } from '#src/kube/transport/transport.ts';

/** Whether the server is there, and whether somebody lives who read what was before. */
export class Restoring {
  isAway = false;
  isAstray = false;
  /** What somebody who was astray has made may carry marks that no other object has now. */
  isRestored = false;

  /** Throws while the server is away. */
  reach(): void {
    if (this.isAway) throw new Error('connection refused');
  }

  watch(sink: WatchSink, open: () => () => void): () => void {
    if (!this.isAway) return open();
    sink.closed({ kind: 'ended', error: new Error('connection refused') });
    return () => {};
  }
}
