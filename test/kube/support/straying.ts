// A client that follows pods, one of which may lose our label: on a scripted transport, with what
// it told so far in short form.
import type { Kind } from '#machines/kinds.ts';
import type { Observation } from '#actors/ports.ts';
import { createKubeClient } from '#src/kube/client.ts';
import { seeded, VirtualClock } from '#test/support/virtual-clock.ts';
import { list } from './objects.ts';
import { short } from './reflecting.ts';
import { ScriptedTransport } from './scripted-transport.ts';

interface Look {
  readonly uid?: string;
  readonly isMarked?: boolean;
  readonly isGoing?: boolean;
}

export const object = (
  version: number,
  { uid = 'a1', isMarked = true, isGoing = false }: Look = {},
) => ({
  metadata: {
    name: 'a',
    namespace: 'default',
    uid,
    resourceVersion: String(version),
    labels: isMarked ? { 'app.kubernetes.io/managed-by': 'grove-operator' } : {},
    ownerReferences: [
      {
        apiVersion: 'grove.io/v1alpha1',
        kind: 'PodClique',
        name: 'c',
        uid: 'c1',
        controller: true,
      },
    ],
    ...(isGoing ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}),
  },
});

/** Pods that lost our label are looked for once. */
export const straysPath =
  '/api/v1/pods?limit=500&labelSelector=grove.io%2Fpodclique%2C' +
  'app.kubernetes.io%2Fmanaged-by%21%3Dgrove-operator';

/** A client that has asked for the first list. */
export async function starting(kind: Kind) {
  const clock = new VirtualClock();
  const transport = new ScriptedTransport();
  const told: string[] = [];
  const client = createKubeClient({
    transport,
    clock,
    random: seeded(1),
    host: 'server',
    log: () => {},
  });
  const emit = (observation: Observation): void => {
    const isDoubtful = observation.type === 'gone' && observation.isSure === false;
    told.push(`${short(observation)}${isDoubtful ? '?' : ''}`);
  };
  const reflection = client.reflect([kind], emit);
  await clock.drain();
  const reads = () => transport.requests.filter(({ path }) => path.endsWith('/a')).length;
  return { clock, transport, told, client, reflection, reads };
}

/** Listed at version 5 with object `a`, and watching. */
export async function watching(kind: Kind = 'Pod') {
  const started = await starting(kind);
  const { clock, transport } = started;
  transport.lastRequest.answer(200, list(5, [object(4)]));
  await clock.drain();
  if (kind === 'Pod') transport.lastRequest.answer(200, list(5, []));
  await clock.drain();
  return started;
}
