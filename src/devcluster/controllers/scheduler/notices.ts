// Says on a pod, and in an Event, why it is not scheduled: once per reason, so that a pod that
// waits does not flood the server. Used by the scheduler.
import { objectAt, objectsAt, textAt } from '#machines/kubernetes/fields.ts';
import { rfc3339 } from '#machines/kubernetes/time.ts';
import type { Stored } from '#src/devcluster/contract.ts';
import { keyOf, nameOf, namespaceOf, orRetryLater, uidOf } from '../client.ts';
import { EventRecorder } from '../events.ts';
import type { ControllerContext } from '../options.ts';

export class Notices {
  readonly #context: ControllerContext;
  readonly #events: EventRecorder;
  /** The message that was last written on a pod, by its key. */
  readonly #told = new Map<string, string>();

  constructor(context: ControllerContext) {
    this.#context = context;
    this.#events = new EventRecorder(context.client, context.clock, 'default-scheduler');
  }

  forget(key: string): void {
    this.#told.delete(key);
  }

  async bound(pod: Stored, node: string): Promise<void> {
    if (!this.#context.settings.scheduledEvents) return;
    const message = `Successfully assigned ${keyOf(pod)} to ${node}`;
    await this.#events.record(pod, { type: 'Normal', reason: 'Scheduled', message });
  }

  /** Throws RetryLater. */
  async unschedulable(pod: Stored, message: string): Promise<void> {
    const told = this.#told.get(keyOf(pod)) ?? unschedulableMessage(pod);
    this.#told.set(keyOf(pod), message);
    if (told === message) return;
    try {
      await this.#write(pod, message);
    } catch (error) {
      this.#told.delete(keyOf(pod));
      throw error;
    }
  }

  async #write(pod: Stored, message: string): Promise<void> {
    const path = `/api/v1/namespaces/${namespaceOf(pod)}/pods/${nameOf(pod)}/status`;
    const condition = {
      type: 'PodScheduled',
      status: 'False',
      reason: 'Unschedulable',
      message,
      lastProbeTime: null,
      lastTransitionTime: rfc3339(this.#context.clock.now()),
    };
    const answer = await this.#context.client.strategicPatch(path, {
      metadata: { uid: uidOf(pod) },
      status: { conditions: [condition] },
    });
    orRetryLater('unschedulable condition', answer);
    await this.#events.record(pod, { type: 'Warning', reason: 'FailedScheduling', message });
  }
}

/** What the pod says already, so that a restart does not say it again. */
function unschedulableMessage(pod: Stored): string {
  const conditions = objectsAt(objectAt(pod, 'status'), 'conditions');
  const condition = conditions.find((each) => each['type'] === 'PodScheduled');
  return condition?.['reason'] === 'Unschedulable' ? textAt(condition, 'message') : '';
}
