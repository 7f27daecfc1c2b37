// The line in which observations wait: which of two takes the place of the other, in what order
// they are taken in, and what is said of how far that is.
import { describe, expect, it } from 'vitest';
import { Intake } from '#actors/mail/intake.ts';
import type { Observation } from '#actors/ports.ts';
import type { Kind } from '#machines/kinds.ts';
import { stage } from '../fixtures/stage.ts';

const demo = { kind: 'PodCliqueSet', namespace: 'default', name: 'demo' } as const;

const seen = (name: string, version: number, uid = 'u', kind: Kind = 'Pod'): Observation => ({
  ...{ type: 'seen', kind },
  object: {
    ...{ apiVersion: 'v1', kind },
    metadata: { name, namespace: 'n', uid, resourceVersion: String(version) },
  },
});
const gone = (name: string, upTo?: number, uid = 'u'): Observation => ({
  ...{ type: 'gone', ref: { kind: 'Pod', namespace: 'n', name }, uid },
  ...(upTo === undefined ? {} : { upTo: String(upTo) }),
});

const say = (one: Observation): string =>
  one.type === 'gone'
    ? `-${one.ref.name}/${one.uid}`
    : `${one.object.metadata.name}/${one.object.metadata.uid}@${one.object.metadata.resourceVersion}`;

function scene() {
  const taken: string[] = [];
  const asked: string[] = [];
  const intake = new Intake({
    router: { route: (one: Observation) => void taken.push(say(one)) },
    scheduler: { wake: () => asked.push('wake'), hurry: () => asked.push('hurry') },
  } as never);
  const takeAll = (): readonly string[] => {
    while (intake.next());
    return taken.splice(0);
  };
  return { intake, asked, takeAll };
}

describe('Observations that wait', () => {
  it.each<[string, readonly Observation[], readonly string[]]>([
    ['of several objects', [seen('a', 1), seen('b', 2)], ['a/u@1', 'b/u@2']],
    ['a newer one', [seen('a', 1), seen('b', 2), seen('a', 3)], ['a/u@3', 'b/u@2']],
    ['an older one', [seen('a', 3), seen('a', 1)], ['a/u@3']],
    ['the same one', [seen('a', 3), seen('a', 3)], ['a/u@3']],
    ['one of another object of that name', [seen('a', 1), seen('a', 3, 'v')], ['a/u@1', 'a/v@3']],
    ['an older one of another', [seen('a', 3), seen('a', 1, 'v')], ['a/u@3', 'a/v@1']],
    ['one of another kind', [seen('a', 1), seen('a', 2, 'u', 'Service')], ['a/u@1', 'a/u@2']],
    ['its end', [seen('a', 1), gone('a')], ['-a/u']],
    ['its end as it was seen', [seen('a', 3), gone('a', 3)], ['-a/u']],
    ['its end at a later version', [seen('a', 3), gone('a', 4)], ['-a/u']],
    ['the end of what it was before', [seen('a', 3), gone('a', 2)], ['a/u@3']],
    ['the end of another', [seen('a', 3), gone('a', 4, 'v')], ['a/u@3', '-a/v']],
    ['one after its end', [gone('a'), seen('a', 3)], ['-a/u', 'a/u@3']],
    ['its end twice', [gone('a'), gone('a')], ['-a/u', '-a/u']],
    [
      'a newer one of the last of that name',
      [seen('a', 1), seen('a', 3, 'v'), seen('a', 4, 'v')],
      ['a/u@1', 'a/v@4'],
    ],
  ])('are taken in by object and in order: %s', (_what, observations, expected) => {
    const { intake, takeAll } = scene();
    for (const one of observations) intake.add(one);
    expect(takeAll()).toEqual(expected);
    expect(takeAll()).toEqual([]);
  });

  it('are taken in again after what was taken in before', () => {
    const { intake, takeAll } = scene();
    intake.add(seen('a', 1));
    intake.add(seen('b', 1));
    expect(intake.next()).toBe(true);
    intake.add(seen('a', 2));
    intake.add(seen('b', 2));
    expect(takeAll()).toEqual(['a/u@1', 'b/u@2', 'a/u@2']);
    intake.add(seen('a', 3));
    expect(takeAll()).toEqual(['a/u@3']);
  });

  it('wake the scheduler, and hurry it where somebody waits for such an object', () => {
    const { intake, asked } = scene();
    intake.add(seen('a', 1));
    expect(asked.splice(0)).toEqual(['wake']);
    intake.add(seen('a', 1, 'u', 'SandboxClaim'));
    expect(asked.splice(0)).toEqual(['wake', 'hurry']);
  });

  it('are passed once all that waited at that time were taken in', () => {
    const { intake } = scene();
    expect([intake.isEmpty, intake.hasPassed(intake.end)]).toEqual([true, true]);
    const add = (name: string): number => {
      intake.add(seen(name, 1));
      return intake.end;
    };
    const passed: string[] = [];
    const ends: Record<string, number> = {};
    for (const round of [
      ['a', 'b', 'c'],
      ['d', 'e'],
    ]) {
      for (const name of round) ends[name] = add(name);
      while (intake.next()) {
        const reached = Object.keys(ends).filter((name) => intake.hasPassed(ends[name] ?? 0));
        passed.push(reached.join(''));
      }
    }
    expect(passed).toEqual(['a', 'ab', 'abc', 'abcd', 'abcde']);
    expect(intake.isEmpty).toBe(true);
  });

  it('are seen up to a version once it came and nothing waits any more', () => {
    const { intake, takeAll } = scene();
    const hasSeen = (): readonly boolean[] => [
      intake.hasSeen({}),
      intake.hasSeen({ Pod: '4' }),
      intake.hasSeen({ Pod: '5' }),
      intake.hasSeen({ Pod: '5', Service: '2' }),
      intake.hasSeen({ Pod: '6' }),
    ];
    expect(hasSeen()).toEqual([true, false, false, false, false]);
    intake.add(seen('a', 5));
    expect(hasSeen()).toEqual([false, false, false, false, false]);
    takeAll();
    expect(hasSeen()).toEqual([true, true, true, false, false]);
    intake.heard('Service', '2');
    intake.heard('Pod', '3');
    expect(hasSeen()).toEqual([true, true, true, true, false]);
    intake.add(gone('a'));
    expect(hasSeen()[0]).toBe(false);
    takeAll();
    expect(hasSeen()).toEqual([true, true, true, true, false]);
  });
});

describe('Kinds that are listed later', () => {
  it('are not waited for before they are, and are from then on', () => {
    const { intake } = scene();
    intake.listed(['Pod']);
    expect([intake.hasSeen({ Pod: '5' }), intake.hasSeen({ Service: '5' })]).toEqual([true, false]);
    intake.listing();
    expect(intake.hasSeen({ Pod: '5' })).toBe(false);
  });
});

describe('What is told of an observation', () => {
  it('says of which object, at which version, and whether that goes', async () => {
    const world = stage();
    world.system.synced();
    const apply = (replicas: number): unknown =>
      world.cluster.apply('PodCliqueSet', 'demo', { spec: { replicas, pods: 0 } });
    apply(0);
    await world.reconciled();
    apply(1);
    await world.reconciled();
    const seenAt = world.cluster.get(demo)?.metadata.resourceVersion;
    world.cluster.delete(demo);
    await world.clock.advance(60_000);
    const told = world.facts
      .filter(({ what, data }) => what === 'observed' && data['kind'] === 'PodCliqueSet')
      .map(({ data }) => data);
    expect(told.every(({ name }) => name === 'demo')).toBe(true);
    const summaries = told.map(({ summary }) => summary);
    expect(summaries.filter((one, index) => one !== summaries[index - 1])).toEqual([
      ...['seen', 'being deleted'],
      'gone',
    ]);
    const versions = told.map(({ version }) => Number(version));
    expect(versions).toEqual(versions.toSorted((a, b) => a - b));
    expect(versions[0]).toBeGreaterThan(0);
    expect(versions.at(-1)).toBeGreaterThan(Number(seenAt));
  });
});
