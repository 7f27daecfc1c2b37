// Which of the news of claims, Sandboxes and pools may wait while claims are served: what is only
// upkeep. And a claim knows when it was ready, though it is asked much later.
import { describe, expect, it } from 'vitest';
import '#machines/kinds.ts';
import { type ClaimContext, reduce, startContext } from '#machines/agentsandbox/claim/context.ts';
import { sandboxClaim } from '#machines/agentsandbox/claim/behaviour.ts';
import type { ObservedClaim } from '#machines/agentsandbox/objects/claim.ts';
import { sandbox } from '#machines/agentsandbox/sandbox/behaviour.ts';
import { isAwaited } from '#machines/agentsandbox/warmpool/assigning/assigning.ts';
import { startContext as startPool } from '#machines/agentsandbox/warmpool/context.ts';
import { PersistentMap } from '#machines/contract/persistent-map.ts';
import type { CommonEvent } from '#machines/contract/events.ts';
import { settings } from './claim/objects.ts';

const snapshot = (context: unknown) => ({ status: 'active', value: 'active', context }) as never;
const claimKey = { kind: 'sandboxclaim', namespace: 'demo', name: 'claim' } as const;
const start = startContext({ key: claimKey, root: claimKey, settings });
const isReady = { conditions: [{ type: 'Ready', status: 'True' }] };
const isUnready = { conditions: [{ type: 'Ready', status: 'False' }] };

const claimOf = (more: Partial<ObservedClaim>): ObservedClaim =>
  ({ namespace: 'demo', name: 'claim', uid: 'uid', status: {}, annotations: {}, ...more }) as never;

it.each<[string, Partial<ObservedClaim>, boolean]>([
  ['that its pool has not decided on yields', {}, true],
  ['to which a member is assigned yields', { assigned: 'box' }, true],
  ['that starts cold does not', { assigned: 'claim' }, false],
  ['that is bound and not ready does not', { bound: 'box', status: isUnready }, false],
  ['that is ready yields', { bound: 'box', status: isReady }, true],
])('A claim %s', (_, more, wanted) => {
  const context = { ...start, claim: claimOf(more) };
  expect(sandboxClaim.yields?.(snapshot(context))).toBe(wanted);
});

it('A claim that was not seen yet does not yield', () => {
  expect(sandboxClaim.yields?.(snapshot(start))).toBe(false);
});

describe('A Sandbox', () => {
  const runs = { uid: 'pod', name: 'box', phase: 'Running', isReady: true, podIPs: ['10.0.0.1'] };
  const own = {
    namespace: 'demo',
    name: 'box',
    uid: 'uid',
    deleting: false,
    operatingMode: 'Running',
    ready: { status: 'True' },
    annotations: {},
    volumeClaimTemplates: [],
  };
  const yields = (change: object, pod: object = {}): boolean | undefined => {
    const controller = { kind: 'Sandbox', name: 'box', uid: 'uid' };
    const pods = [{ kind: 'SandboxPod', ...runs, controller, ...pod }];
    const more = { pods, services: [], volumes: [], others: new Map(), errors: [] };
    return sandbox.yields?.(snapshot({ ...more, sandbox: { ...own, ...change } }));
  };

  it('that is ready and says so yields', () => {
    expect(yields({})).toBe(true);
  });

  it.each<[string, object, object]>([
    ['that does not say so yet', { ready: { status: 'False' } }, {}],
    ['that is to be suspended', { operatingMode: 'Suspended' }, {}],
    ['that is going', { deleting: true }, {}],
    ['whose pod is not ready any more', {}, { isReady: false }],
    ['whose pod has failed', {}, { phase: 'Failed' }],
  ])('%s does not', (_, change, pod) => {
    expect(yields(change, pod)).toBe(false);
  });
});

describe('A pool', () => {
  const key = { kind: 'sandboxwarmpool', namespace: 'demo', name: 'pool' } as const;
  const context = startPool({ key, root: key, settings });
  const one = PersistentMap.of([['claim', true]] as const);
  const awaited = (change: object): boolean =>
    isAwaited({ ...context, assigning: { ...context.assigning, ...change } });

  it('that has nothing to do with claims yields', () => {
    expect(awaited({})).toBe(false);
  });

  it.each(['arrived', 'waiting', 'toTell', 'due'])('with a claim in %s does not', (place) => {
    expect(awaited({ [place]: one })).toBe(true);
  });

  it('that has only to see what became of a member that was taken over yields', () => {
    expect(awaited({ due: one, looking: one })).toBe(false);
  });
});

describe('The time of the first readiness', () => {
  const ref = { kind: 'SandboxClaim', namespace: 'demo', name: 'claim' } as const;
  const done = (more: object = {}): CommonEvent => ({
    type: 'effect.done',
    op: 'status',
    ref,
    now: 5,
    ...more,
  });
  const seen = (was: Partial<ClaimContext['was']>, status: object): ClaimContext => ({
    ...start,
    claim: claimOf({ bound: 'box', status: status as never }),
    was: { ...start.was, ...was },
  });

  it('is that of the answer to the status that says so (2.6.2)', () => {
    expect(reduce(seen({ unready: true }, isReady), done()).firstReadyAt).toBe(5);
  });

  it.each<[string, ClaimContext, CommonEvent]>([
    ['that is not ready', seen({ unready: true }, isUnready), done()],
    ['that was ready when it was seen first', seen({}, isReady), done()],
    ['of another write', seen({ unready: true }, isReady), done({ op: 'patch' })],
    ['without a time', seen({ unready: true }, isReady), done({ now: undefined })],
  ])('is not known by the answer %s', (_, context, event) => {
    expect(reduce(context, event).firstReadyAt).toBeUndefined();
  });

  it('stays what it was', () => {
    const context = { ...seen({ unready: true }, isReady), firstReadyAt: 3 };
    expect(reduce(context, done()).firstReadyAt).toBe(3);
  });
});
