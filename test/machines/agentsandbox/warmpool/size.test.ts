// What a warm pool does for an event or a reconcile does not grow with its members.
import { afterEach, describe, expect, it, vi } from 'vitest';
import { PersistentMap } from '#machines/contract/persistent-map.ts';
import { PoolKit } from './kit.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

describe('a pool of two thousand members', () => {
  it('never goes through them, whatever is seen and done (G3, R46)', () => {
    const kit = PoolKit.with({ replicas: 2_000 }).rest().ready().rest();
    const sizes: number[] = [];
    for (const way of ['entries', 'values', 'keys'] as const) {
      const { [way]: original } = PersistentMap.prototype;
      vi.spyOn(PersistentMap.prototype, way).mockImplementation(function copied(
        this: PersistentMap<unknown, unknown>,
      ) {
        sizes.push(this.size);
        return Reflect.apply(original, this, []);
      });
    }
    const [one = '', two = '', three = ''] = kit.names;
    kit.server.status(`Sandbox/${one}`, { podIPs: ['10.0.0.9'] });
    kit.rest().take(two).rest().server.delete(`Sandbox/${three}`);
    kit.rest().ready(kit.names.slice(0, 50)).rest();
    kit.wait(400_000).rest();
    expect(Math.max(0, ...sizes)).toBeLessThan(50);
    sizes.length = 0;
    kit.edit({ replicas: 1_999 }).rest();
    expect(sizes.filter((size) => size > 1_000).length).toBeGreaterThan(0);
    expect(sizes.filter((size) => size > 1_000).length).toBeLessThan(3);
  });
});
