// How a PodCliqueSet's actor hears of topologies: of every binding, as it may come to name any, and
// only where that is of use to it.
import { describe, expect, it } from 'vitest';
import { routeOf } from '#test/support/modules.ts';
import type { KubeObject } from '#machines/objects.ts';
import { startContext } from '#machines/podcliqueset/context.ts';
import { reduce } from '#machines/podcliqueset/reduce.ts';
import type { SetEvent } from '#machines/podcliqueset/reduce.ts';
import { fabric, rack, zone } from '#test/support/topology.ts';
import { settings } from '#test/support/world.ts';

const key = { kind: 'podcliqueset', namespace: 'demo', name: 'demo' } as const;
const start = (isTopologyAware: boolean) =>
  startContext({ key, root: key, settings: { ...settings, isTopologyAware } });

const isSetEvent = (event: { readonly type: string }): event is SetEvent => event.type !== '';

function announced(binding: KubeObject, what: 'seen' | 'gone', uid = 'u'): SetEvent {
  const object = {
    ...binding,
    metadata: { ...binding.metadata, uid, resourceVersion: '1', generation: 1 },
  };
  const route = routeOf('ClusterTopologyBinding');
  const [notice] = route.announce?.(route.decode(object)) ?? [];
  const event = notice?.[what];
  if (event === undefined || !isSetEvent(event)) throw new Error('nothing is announced');
  return event;
}

describe('A PodCliqueSet', () => {
  it('keeps the levels of a binding before it knows which one it needs', () => {
    const context = reduce(start(true), announced(fabric([zone, rack]), 'seen'));
    expect(context.topologies.get('fabric')).toEqual({ uid: 'u', levels: [zone, rack] });
  });

  it('takes the same levels for no news, as of a binding with another status', () => {
    const context = reduce(start(true), announced(fabric([zone]), 'seen'));
    const other = { ...fabric([zone]), status: { note: 'x' } };
    expect(reduce(context, announced(other, 'seen'))).toBe(context);
  });

  it('forgets a binding that is gone, but not the one that took its place', () => {
    const old = reduce(start(true), announced(fabric([zone]), 'seen'));
    const next = reduce(old, announced(fabric([zone]), 'seen', 'other'));
    expect(reduce(next, announced(fabric([zone]), 'gone'))).toBe(next);
    expect(reduce(next, announced(fabric(), 'gone', 'other')).topologies.size).toBe(0);
  });

  it('hears nothing while topology-aware scheduling is off', () => {
    const context = start(false);
    expect(reduce(context, announced(fabric(), 'seen'))).toBe(context);
  });
});
