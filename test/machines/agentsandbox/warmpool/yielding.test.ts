// A warm pool that claims are served from: the refill gives way, and is never starved.
import { describe, expect, it } from 'vitest';
import { PoolKit } from './kit.ts';
import { extensions, namespace } from './objects.ts';

const claim = (name: string) => ({
  apiVersion: extensions,
  kind: 'SandboxClaim',
  metadata: { name, namespace },
  spec: { warmPoolRef: { name: 'pool' } },
});

const isCreate = (key: string, kit: PoolKit): boolean =>
  kit.controller.flying.get(key)?.type === 'createObject';

describe('the refill of a pool', () => {
  it('is two creates at a time while claims are given members, and then goes on', () => {
    const kit = PoolKit.with({ replicas: 40 }).rest().ready().rest();
    for (let n = 0; n < 30; n++) kit.server.put(claim(`claim-${n}`));
    let most = 0;
    let created = 0;
    for (let round = 0; round < 200; round++) {
      kit.reconcile();
      kit.send();
      const creates = [...kit.controller.flying.keys()].filter((key) => isCreate(key, kit));
      const { waiting, inHand } = kit.controller.context.assigning;
      if (waiting.size + inHand.size > 0) {
        most = Math.max(most, creates.length);
        created += creates.length;
      }
      // One write at a time reaches the server, so that claims are served for long.
      const [key] = kit.controller.flying.keys();
      const intent = key === undefined ? undefined : kit.controller.flying.get(key);
      if (key === undefined || intent === undefined) break;
      kit.controller.answer(key, kit.server.write(intent), kit.now);
    }
    expect(most).toBeLessThanOrEqual(2);
    expect(created).toBeGreaterThan(0);
    kit.rest();
    expect(kit.members).toHaveLength(40);
    expect(kit.sandboxes).toHaveLength(70);
  });

  it('yields in the order of writes too, as long as members are ready', () => {
    const kit = PoolKit.with({ replicas: 3 });
    kit.reconcile();
    kit
      .rest()
      .ready()
      .rest()
      .take(kit.names[0] ?? '')
      .rest();
    const urgencies = kit
      .written('createObject')
      .map((intent) => (intent.type === 'createObject' ? intent.urgency : undefined));
    expect(urgencies).toEqual([undefined, undefined, undefined, 'behind']);
  });

  it('does not wait for claims that find nothing in the queues', () => {
    const kit = PoolKit.with({ replicas: 30 });
    for (let n = 0; n < 5; n++) kit.server.put(claim(`claim-${n}`));
    const sizes: number[] = [];
    for (let round = 0; round < 5; round++) {
      kit.reconcile();
      sizes.push(
        [...kit.controller.queued.values()].filter(({ intent }) => intent.type === 'createObject')
          .length,
      );
      kit.send();
      kit.serve();
    }
    expect(Math.max(...sizes)).toBeGreaterThan(2);
  });
});
