// What is the matter with the controller as a whole, so that anybody who asks is told: its shards
// were lost, NATS is cut off, it may not watch any more, or the CRDs are of another release. In
// this order: the last one leaves a cluster of which not everything is served any more.
import { eventually } from '#test/support/eventually.ts';
import { definition } from '../plugin/broken.ts';
import { limitMs, type Scene } from './scene.ts';
import { of, type Told } from './situation.ts';
import type { StuckStage } from './stage.ts';

interface OfProcess extends Told {
  /** Of the namespace. */
  readonly name: string;
  readonly make: (scene: Scene, stage: StuckStage) => Promise<unknown>;
  /** Absent: in every way. */
  readonly asks?: string[];
}

const set = of('podcliqueset', 'demo');
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

async function demo(scene: Scene): Promise<void> {
  await scene.createSet();
  await scene.ready();
}

export const ofProcess: readonly OfProcess[] = [
  {
    matter: 'Somebody parked the actor',
    name: 'parked',
    asked: set,
    make: async (scene, stage) => {
      await demo(scene);
      await stage.park(scene.namespace, 'demo', 'I look at it');
    },
    says: ['parked: ', 'viewer: I look at it; a new spec, unpark or the end of its object ends'],
  },
  {
    matter: 'The Leases are not renewed, so that the process lets go of its shards',
    name: 'unrenewed',
    asked: set,
    make: async (scene) => {
      await demo(scene);
      const fault = { kind: 'error', code: 500, message: 'etcd has no leader' } as const;
      for (const verb of ['update', 'patch']) {
        scene.fault({ namespace: 'default', kind: 'Lease', verb, fault });
      }
    },
    // First nothing is written, and then its actors end.
    says: [' shard ', ' is not renewed'],
  },
  {
    matter: 'NATS is cut off, over which nobody can ask then',
    name: 'cut',
    asked: set,
    make: async (scene, { nats }) => {
      await demo(scene);
      await nats.proxy.away();
      nats.proxy.cut();
      scene.atEnd(() => nats.proxy.back());
    },
    says: ['NATS is not connected (', '): facts stay in this process, and nothing else waits'],
    asks: ['overPage', 'overPlugin'],
  },
  {
    matter: 'The CRD of PodGangs is of another release',
    name: 'old',
    asked: set,
    make: async (scene) => {
      const path = `${definitions}/podgangs.scheduler.grove.io`;
      await scene.delete(path);
      const isGone = ({ status }: { status: number }): boolean => status === 404;
      await eventually(
        'gone',
        () => scene.client.request({ method: 'GET', path }),
        isGone,
        limitMs,
      );
      const names = { kind: 'PodGang', plural: 'podgangs', singular: 'podgang' };
      await scene.create(definitions, definition(names, 'v1alpha2'));
      await scene.createSet();
    },
    says: ['no change of a PodGang is seen since ', 'served should be scheduler.grove.io/v1alpha1'],
  },
];
