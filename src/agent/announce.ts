// What the agent writes on its own pod, in one patch: in which clique it is, and that it is ours
// (spec compute-domain 3.2). For a node without fabric that it has none, so that the controller
// reports it (HC-20, HC-28).
import type { Clock, Random } from '#actors/ports.ts';
import { annotation, label } from '#machines/nvidia/objects/labels.ts';
import { failureOf, isSuccess, unreachable } from '#src/kube/errors.ts';
import type { KubeTransport } from '#src/kube/transport/transport.ts';
import type { AgentLog } from './log.ts';
import { pause, pauseMs } from './pause.ts';
import type { AgentSettings } from './settings.ts';

interface AnnouncePorts {
  readonly transport: KubeTransport;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: AgentLog;
}

/** Resolves when it is written, however long that takes, or at the signal. */
export async function announce(
  settings: AgentSettings,
  { transport, clock, random, log }: AnnouncePorts,
  signal: AbortSignal,
): Promise<void> {
  const { pod, cliqueID } = settings;
  const path = `/api/v1/namespaces/${pod.namespace}/pods/${pod.name}`;
  const body = patchOf(settings);
  let said = '';
  for (let attempt = 1; !signal.aborted; attempt++) {
    const failure = await transport
      .request({
        method: 'PATCH',
        path,
        contentType: 'application/merge-patch+json',
        body,
        signal,
      })
      .then((response) => (isSuccess(response) ? undefined : failureOf(response)), unreachable);
    if (failure === undefined) {
      log('info', 'the pod says its clique', { cliqueID });
      return;
    }
    if (signal.aborted) return;
    const { message, code, retryAfterMs = 0 } = failure;
    if (message !== said) log('warn', 'cannot write on the pod', { code, problem: message });
    said = message;
    await pause(clock, Math.max(retryAfterMs, pauseMs(attempt, random)), signal);
  }
}

/** With the UID, so that a namesake is left alone. */
const patchOf = ({ pod, cliqueID }: AgentSettings): object => ({
  metadata: {
    uid: pod.uid,
    labels: { [label.clique]: cliqueID },
    ...(cliqueID === '' ? {} : { annotations: { [annotation.agent]: 'true' } }),
  },
});
