// The small pure parts: radix tree, merge patches, hashes, conditions, errors.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  parkedStatus,
  unparkedConditions,
  withConditions,
} from '#machines/contract/supervision.ts';
import { emptyRadix, entries, get, set, type Radix } from '#machines/grove/children/radix.ts';
import { announceErrorsBy, recorded, resolved } from '#machines/contract/failure-log.ts';
import type { FailedEffect, FailureLog } from '#machines/contract/failure-log.ts';
import { allErrors, lastErrors } from '#machines/grove/last-errors.ts';
import { maxErrors } from '#machines/contract/limits.ts';
import { kindRow, objectKind } from '#machines/kinds.ts';
import { withCondition, withoutCondition } from '#machines/kubernetes/conditions.ts';
import { canonical, jsonHash, shortHash } from '#machines/kubernetes/hash.ts';
import { isEqual, stringMap } from '#machines/kubernetes/json.ts';
import { applyPatch, isWithin, patchInto, patchToward } from '#machines/kubernetes/merge.ts';
import type { Json, JsonObject } from '#machines/kubernetes/objects.ts';
import { epoch, rfc3339 } from '#machines/kubernetes/time.ts';
import { recordAt } from '#src/devcluster/schema/record.ts';
import { validate } from '#src/devcluster/schema/structural.ts';
import { crdSchema } from '#test/devcluster/schema/crd-fixtures.ts';
import { allBehaviours } from '#test/support/modules.ts';

const json: fc.Arbitrary<Json> = fc.letrec<{ tree: Json }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 3 },
    fc.integer(),
    fc.string(),
    fc.boolean(),
    fc.array(tie('tree'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'c', '__proto__'), tie('tree'), { maxKeys: 3 }),
  ),
})).tree;
const jsonObject: fc.Arbitrary<JsonObject> = fc.dictionary(
  fc.constantFrom('a', 'b', 'c', 'constructor'),
  json,
  { maxKeys: 4 },
);

describe('a radix tree', () => {
  const index = fc.oneof(fc.nat(100), fc.nat(40_000), fc.integer({ min: 0, max: 4_294_967_295 }));

  it('holds what a Map holds, in ascending order', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(index, fc.option(fc.nat(), { nil: undefined }))), (sets) => {
        const map = new Map<number, number>();
        let radix: Radix<number> = emptyRadix;
        for (const [at, value] of sets) {
          radix = set(radix, at, value);
          if (value === undefined) map.delete(at);
          else map.set(at, value);
        }
        expect([...entries(radix)]).toEqual([...map].toSorted(([a], [b]) => a - b));
        for (const [at] of sets) expect(get(radix, at)).toBe(map.get(at));
      }),
    );
  });

  it('is not changed by a later set', () => {
    const one = set(emptyRadix, 3, 'a');
    set(one, 3, 'b');
    set(one, 70_000, 'c');
    expect([...entries(one)]).toEqual([[3, 'a']]);
  });
});

describe('merge patches', () => {
  it('toward what is wanted contain it and keep the rest', () => {
    fc.assert(
      fc.property(jsonObject, jsonObject, (there, wanted) => {
        const patched = applyPatch(there, patchToward(there, wanted));
        expect(isWithin(wanted, patched)).toBe(true);
        for (const key of Object.keys(there))
          expect(Object.hasOwn(Object(patched), key)).toBe(true);
        expect(patchToward(patched, wanted)).toEqual({});
      }),
    );
  });

  it('into what is wanted make it equal', () => {
    fc.assert(
      fc.property(jsonObject, jsonObject, (there, wanted) => {
        const patched = applyPatch(there, patchInto(there, wanted));
        expect(isEqual(patched, wanted)).toBe(true);
      }),
    );
  });

  it('treat a wanted null as no field, as the API server drops it', () => {
    expect(isWithin({ a: null }, {})).toBe(true);
    expect(patchToward({}, { a: null })).toEqual({});
    expect(patchInto({}, { a: null })).toEqual({});
  });
});

describe('hashes', () => {
  it('do not depend on the order of keys but on that of lists (10.1 rule 43)', () => {
    expect(jsonHash({ a: 1, b: [1, 2] })).toBe(jsonHash({ b: [1, 2], a: 1 }));
    expect(jsonHash([1, 2])).not.toBe(jsonHash([2, 1]));
  });

  it('are the same for equal values and hold only safe characters', () => {
    fc.assert(
      fc.property(json, fc.integer({ min: 1, max: 11 }), (value, length) => {
        expect(shortHash(canonical(value), length)).toMatch(
          new RegExp(`^[bcdfghjklmnpqrstvwxz2456789]{${length}}$`),
        );
        expect(isEqual(JSON.parse(canonical(value)), value)).toBe(true);
      }),
    );
  });

  it('of 5 characters rarely meet: 20,000 names are nearly all different', () => {
    const names = Array.from({ length: 20_000 }, (_, index) => shortHash(`uid/${index}/0`, 5));
    // 20,000 of 14.3 million: about 14 meetings are expected.
    expect(new Set(names).size).toBeGreaterThan(19_960);
  });
});

const withStatus = allBehaviours.filter(({ kind }) =>
  kindRow(objectKind(kind)).writes.includes('status'),
);

describe('a condition', () => {
  const ready = { type: 'Ready', status: 'True', reason: 'R', message: 'm' } as const;

  it('moves its transition time only when its status moves', () => {
    const first = withCondition([], ready, 1_000);
    const again = withCondition(first, { ...ready, message: 'other' }, 9_000);
    const turned = withCondition(again, { ...ready, status: 'False' }, 9_000);
    expect(withCondition(first, ready, 5_000)).toBe(first);
    expect(again[0]?.['lastTransitionTime']).toBe(rfc3339(1_000));
    expect(turned[0]?.['lastTransitionTime']).toBe(rfc3339(9_000));
  });

  it('says which generation was judged, and keeps the number of the one before until then', () => {
    const [first] = withConditions({}, [ready], 1_000, { generation: 1 });
    const status = { conditions: [first ?? {}] };
    expect(first).toMatchObject({ observedGeneration: 1 });
    expect(withConditions(status, [ready], 9_000)).toEqual([first]);
    expect(withConditions(status, [ready], 9_000, { generation: 2 })).toEqual([
      { ...first, observedGeneration: 2 },
    ]);
  });

  it('leaves the others alone', () => {
    const other = { type: 'Scheduled', status: 'True', by: 'a scheduler' };
    const both = withCondition([other], ready, 0);
    expect(both[0]).toBe(other);
    expect(withoutCondition(both, 'Ready')).toEqual([other]);
  });

  it('is Parked beside what its CRD asks for in any status, which claims nothing', () => {
    const said = withStatus.flatMap(({ kind, requiredStatus }) =>
      Object.entries(requiredStatus).map(
        ([field, value]) => `${kind}.${field} ${JSON.stringify(value)}`,
      ),
    );
    const counts = said.filter((one) => one.endsWith(' 0'));
    expect(said.filter((one) => !counts.includes(one))).toEqual([
      'podgang.phase "Pending"',
      'computedomain.status "NotReady"',
    ]);
  });

  it.each(withStatus)(
    'Parked of $kind makes a status that its CRD takes, and goes with the next normal one',
    ({ kind, requiredStatus, hasReady }) => {
      const cause = { error: 'boom', restarts: 5, now: 0, hasReady };
      const status = parkedStatus(requiredStatus, undefined, cause);
      const { plural } = kindRow(objectKind(kind));
      const schema = recordAt(recordAt(crdSchema(plural), 'properties'), 'status');
      expect(validate(schema, status)).toEqual([]);
      const parked = { type: 'Parked', status: 'True', reason: 'RestartIntensityExceeded' };
      const ready = { ...parked, type: 'Ready', status: 'Unknown' };
      expect(status['conditions']).toMatchObject(hasReady ? [parked, ready] : [parked]);
      expect(unparkedConditions(status)).toHaveLength(hasReady ? 1 : 0);
    },
  );

  it('Parked says of what never ran why it does not, and of no restarts', () => {
    const error = 'Unreadable: spec.replicas is -1';
    const cause = { error, restarts: 0, now: 0, hasReady: false };
    expect(parkedStatus({}, undefined, cause)['conditions']).toMatchObject([
      {
        type: 'Parked',
        reason: 'Stopped',
        message:
          'Stopped; a change of the spec starts it again. Reason: Unreadable: spec.replicas is -1',
      },
    ]);
  });
});

describe('the error book', () => {
  const failure = (name: string, more: Partial<FailedEffect> = {}): FailedEffect => ({
    type: 'effect.failed',
    op: 'create',
    ref: { kind: 'Pod', namespace: 'demo', name },
    code: 'FORBIDDEN',
    message: 'quota exceeded',
    now: 0,
    retryAt: null,
    ...more,
  });

  it('keeps the first time of a failure that repeats, and is bounded', () => {
    let book: FailureLog = [];
    for (let i = 0; i < 100; i++) book = recorded(book, failure(`p${i}`));
    expect(book).toHaveLength(maxErrors);
    expect(recorded(book, failure('p0', { now: 99 }))).toBe(book);
    expect(recorded(book, failure('one more'))).toBe(book);
  });

  it('does not tell of conflicts, throttling and failed status writes', () => {
    expect(recorded([], failure('p', { code: 'CONFLICT' }))).toEqual([]);
    expect(recorded([], failure('p', { code: 'THROTTLED' }))).toEqual([]);
    expect(recorded([], failure('p', { op: 'status' }))).toEqual([]);
    expect(recorded([], failure('p', { op: 'delete', code: 'NOT_FOUND' }))).toEqual([]);
    expect(recorded([], failure('p', { code: 'NOT_FOUND' }))).toHaveLength(1);
  });

  it('strikes what succeeds', () => {
    const book = recorded(recorded([], failure('a')), failure('b'));
    expect(resolved(book, failure('a').ref)).toMatchObject([{ ref: { name: 'b' } }]);
    expect(resolved(book, failure('c').ref)).toBe(book);
  });

  it("writes Grove's form, and announces each kind of failure once", () => {
    const book = recorded(recorded([], failure('a')), failure('b'));
    expect(lastErrors(book.slice(0, 1), () => 'ERR_CREATE_POD')).toEqual([
      {
        code: 'ERR_CREATE_POD',
        description:
          '[Operation: Sync, Code: ERR_CREATE_POD] message: could not create Pod demo/a, cause: quota exceeded',
        observedAt: '1970-01-01T00:00:00Z',
      },
    ]);
    const regarding = { kind: 'PodClique', namespace: 'demo', name: 'c', uid: 'u' } as const;
    const announce = announceErrorsBy(() => 'PodCreateFailed');
    const told = announce({ errors: book }, regarding);
    expect(told.intents).toHaveLength(1);
    expect(announce({ errors: told.changes.errors ?? [] }, regarding).intents).toEqual([]);
  });
});

describe('What keeps a set from being acted upon', () => {
  const failure: FailureLog = [
    {
      op: 'create',
      ref: { kind: 'Pod', namespace: 'demo', name: 'a' },
      ...{ code: 'FORBIDDEN', message: 'quota exceeded', at: 5_000 },
    },
  ];

  it('stands before what failed, with the time at which it was first said', () => {
    const problems = [
      { code: 'ERR_ONE', message: 'one' },
      { code: 'ERR_TWO', message: 'two' },
    ] as const;
    const say = (status: JsonObject, now: number) =>
      allErrors({ status }, problems as never, failure, () => 'ERR_POD', now).map(
        ({ code, observedAt }) => [code, observedAt],
      );
    const first = rfc3339(1_000);
    const expected = [
      ['ERR_ONE', first],
      ['ERR_TWO', first],
      ['ERR_POD', rfc3339(5_000)],
    ];
    expect(say({}, 1_000)).toEqual(expected);
    const lastErrors = allErrors({ status: {} }, problems, [], () => '', 1_000);
    expect(say({ lastErrors }, 9_000)).toEqual(expected);
  });
});

describe('readers of JSON', () => {
  it('keep __proto__ an ordinary key', () => {
    const map = stringMap(JSON.parse('{"__proto__":"x","a":"b","c":1}'));
    expect(Object.keys(map)).toEqual(['__proto__', 'a']);
    expect(Object.getPrototypeOf(map)).toBe(Object.prototype);
  });

  it('write times that they read', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 4_102_444_800 }), (seconds) => {
        expect(epoch(rfc3339(seconds * 1000))).toBe(seconds * 1000);
      }),
    );
  });
});
