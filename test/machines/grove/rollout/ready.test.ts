// What condition `Ready` says in an update (decision 0029): by the same writes as the update
// itself.
import { describe, expect, it } from 'vitest';
import { conditionsOf, conditionStatus } from '#machines/kubernetes/conditions.ts';
import { at, object } from '#machines/kubernetes/json.ts';
import { cliqueSet } from '#test/support/samples.ts';
import { deployed, setImage } from './stage.ts';

describe('An update of a PodCliqueSet', () => {
  it('says that all is ready in the write that says that it is over', () => {
    const world = deployed(cliqueSet(2));
    world.options = { isSlow: true };
    setImage(world, 'busybox:2');
    const ended = new Map<string, string | undefined>();
    for (let write = 0; ended.size < 3 && write < 400; write++) {
      world.land(write);
      if (write % 10 === 9) world.live();
      for (const kind of ['PodClique', 'PodCliqueSet'] as const) {
        for (const { metadata, status } of world.all(kind)) {
          if (ended.has(metadata.name)) continue;
          if (at(status, 'updateProgress', 'updateEndedAt') === undefined) continue;
          ended.set(metadata.name, conditionStatus(conditionsOf(object(status)), 'Ready'));
        }
      }
    }
    expect([...ended]).toEqual([
      ['demo-0-worker', 'True'],
      ['demo-1-worker', 'True'],
      ['demo', 'True'],
    ]);
  });
});
