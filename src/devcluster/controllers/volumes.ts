// The simulated binder of volumes: gives each PersistentVolumeClaim a PersistentVolume of its own
// at once, as a provisioner does, and removes the volume after the claim.
import { listAt, objectAt, textAt } from '#machines/kubernetes/fields.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import type { Stored } from '#src/devcluster/contract.ts';
import { isTerminating, keyOf, nameOf, namespaceOf, okOrGone, uidOf } from './client.ts';
import { orRetryLater } from './client.ts';
import type { Controller, ControllerContext } from './options.ts';
import { WorkQueue } from './work-queue.ts';

const claims = '/api/v1/persistentvolumeclaims';
const volumes = '/api/v1/persistentvolumes';

const volumeOf = (claim: Stored): string => `pvc-${uidOf(claim)}`;
const phaseOf = (object: Stored): string => textAt(objectAt(object, 'status'), 'phase');

export class Volumes implements Controller {
  readonly #context: ControllerContext;
  readonly #queue: WorkQueue;
  readonly #stop: () => void;

  constructor(context: ControllerContext) {
    this.#context = context;
    this.#queue = new WorkQueue({
      clock: context.clock,
      parallel: 8,
      work: (key) => this.#work(key),
      failed: (claim, error) =>
        context.log('warn', 'binding of a volume failed', { claim, error: String(error) }),
    });
    this.#stop = context.informers.at(claims).listen({
      seen: (claim) => {
        if (phaseOf(claim) !== 'Bound') this.#queue.add(keyOf(claim));
      },
      gone: (claim) => this.#queue.add(`/${volumeOf(claim)}`),
    });
  }

  get idle(): boolean {
    return this.#queue.idle;
  }

  stop(): void {
    this.#queue.stop();
    this.#stop();
  }

  /** Of a claim, or of a volume whose claim is gone. */
  async #work(key: string): Promise<void> {
    if (key.startsWith('/')) return this.#remove(key.slice(1));
    const claim = this.#context.informers.at(claims).get(key);
    if (claim === undefined || isTerminating(claim) || phaseOf(claim) === 'Bound') return;
    await this.#bind(claim);
  }

  async #remove(name: string): Promise<void> {
    const { client } = this.#context;
    okOrGone('volume', await client.send({ method: 'DELETE', path: `${volumes}/${name}` }));
  }

  /** Each step may have been done by an attempt before. */
  async #bind(claim: Stored): Promise<void> {
    const { client } = this.#context;
    const named = textAt(objectAt(claim, 'spec'), 'volumeName');
    const name = named === '' ? volumeOf(claim) : named;
    const path = `/api/v1/namespaces/${namespaceOf(claim)}/persistentvolumeclaims/${nameOf(claim)}`;
    if (named === '') {
      orRetryLater('volume', await client.create(volumes, volumeFor(claim, name)));
      const bound = await client.mergePatch(path, { spec: { volumeName: name } });
      okOrGone('claim of a volume', bound);
    }
    const { accessModes, capacity } = sizeOf(claim);
    const status = { phase: 'Bound', accessModes, capacity };
    const state = { status: { phase: 'Bound' } };
    okOrGone('volume', await client.mergePatch(`${volumes}/${name}/status`, state));
    // Last: a claim that is bound is not looked at again.
    okOrGone('claim of a volume', await client.mergePatch(`${path}/status`, { status }));
  }
}

/** What is asked for is what there is. */
function sizeOf(claim: Stored) {
  const spec = objectAt(claim, 'spec');
  return {
    accessModes: listAt(spec, 'accessModes'),
    capacity: objectAt(objectAt(spec, 'resources'), 'requests') ?? {},
  };
}

function volumeFor(claim: Stored, name: string): JsonObject {
  const { storageClassName, volumeMode } = objectAt(claim, 'spec') ?? {};
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name },
    spec: {
      ...sizeOf(claim),
      claimRef: {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        namespace: namespaceOf(claim),
        name: nameOf(claim),
        uid: uidOf(claim),
      },
      persistentVolumeReclaimPolicy: 'Delete',
      hostPath: { path: `/var/lib/volumes/${name}` },
      ...(storageClassName === undefined ? {} : { storageClassName }),
      ...(volumeMode === undefined ? {} : { volumeMode }),
    },
  };
}
