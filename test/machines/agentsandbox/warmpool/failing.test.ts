// Members that are there and cannot be completed, as something they need is refused.
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { PoolKit } from './kit.ts';

const failing = (name: string): JsonObject => ({
  conditions: [
    {
      ...{ type: 'Ready', status: 'False', reason: 'ReconcilerError' },
      message: `Error seen: pods "${name}" is forbidden`,
    },
  ],
});

describe('a pool whose members lack what they need', () => {
  it('says so where a quota refuses the pods of members, while others are ready (R43)', () => {
    const kit = PoolKit.with({ replicas: 3 }).rest();
    const [served = '', first = '', second = ''] = kit.names;
    kit.ready([served]);
    for (const name of [first, second]) kit.server.status(`Sandbox/${name}`, failing(name));
    kit.rest();
    const said = `member ${first} could not be completed: Error seen: pods "${first}" is forbidden`;
    expect(kit.events('WarmPoolRefillFailed')).toEqual([said]);
    expect(kit.controller.why(kit.now)).toContain(
      `${said}; it is tried again; claims are served from what is there`,
    );
    expect(kit.status).toMatchObject({
      readyReplicas: 1,
      conditions: [{ type: 'Ready', status: 'False', reason: 'RefillFailed', message: said }],
    });
    kit.ready().rest();
    expect(kit.status).toMatchObject({ conditions: [{ status: 'True', reason: 'MembersReady' }] });
  });
});
