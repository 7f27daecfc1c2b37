// The table of outcomes: for each operation and code, what is observed and what happens next.
import { describe, expect, it } from 'vitest';
import { createdUid, judge, judgeRead, judgeUnread } from '#actors/effects/verdict.ts';
import type { Verdict } from '#actors/effects/verdict.ts';
import type { WriteIntent } from '#actors/effects/work.ts';
import type { Missing, WriteOutcome } from '#actors/ports.ts';
import { errorTable } from '#machines/contract/errors.ts';
import type { ErrorCode } from '#machines/contract/errors.ts';
import type { KubeObject } from '#machines/kubernetes/objects.ts';
import { makePod, patch, remove, status } from '../fixtures/runner.ts';

const pod = (uid: string, owner?: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name: 'p',
    uid,
    ...(owner !== undefined && {
      ownerReferences: [{ apiVersion: 'x', kind: 'X', name: 'x', uid: owner, controller: true }],
    }),
  },
});
const live = pod('u');
const intents = {
  create: makePod('p'),
  patch: patch(live, 'Pod', {}),
  status: status(live, 'Pod', 1),
  delete: remove(live, 'Pod'),
} satisfies Record<string, WriteIntent>;

type Failure = Extract<WriteOutcome, { ok: false }>;
const failure = (code: ErrorCode): Failure => ({ ok: false, code, message: 'm' });
const nextOf = (intent: WriteIntent, code: ErrorCode): string => {
  const verdict = judge(intent, failure(code));
  if (verdict.type !== 'failed') return verdict.type;
  return `${verdict.code} ${verdict.retry}${verdict.observations.length > 0 ? ' gone' : ''}`;
};

/** True where the object that is gone is gone for sure; undefined where none is. */
function isSureOf(verdict: Verdict): boolean | undefined {
  const [first] = verdict.type === 'read' ? [] : verdict.observations;
  return first?.type === 'gone' ? first.isSure !== false : undefined;
}

describe('The verdict on a failed write', () => {
  it('is as the table says, for every code of the error table', () => {
    const codes = Object.keys(errorTable).filter((code): code is ErrorCode => code in errorTable);
    const table = codes.map((code) => [
      code,
      nextOf(intents.create, code),
      nextOf(intents.patch, code),
    ]);
    expect(table).toEqual(
      codes.map((code) => {
        if (code === 'CONFLICT') return [code, 'read', 'read'];
        if (code === 'ALREADY_EXISTS') return [code, 'read', `${code} backoff`];
        if (code === 'NOT_FOUND') return [code, `${code} backoff`, `${code} now gone`];
        if (code === 'FORBIDDEN' || code === 'INVALID') {
          return [code, `${code} refused`, `${code} refused`];
        }
        const next = errorTable[code].class === 'retry' ? 'backoff' : 'never';
        return [code, `${code} ${next}`, `${code} ${next}`];
      }),
    );
  });

  it('of a delete that finds nothing is that it is done, though the absence may be untrue', () => {
    expect(judge(intents.delete, failure('NOT_FOUND'))).toMatchObject({
      type: 'done',
      observations: [{ type: 'gone', uid: 'u', isSure: false }],
    });
  });

  it('of a write that finds nothing is sure where the server says what is missing', () => {
    const { name } = intents.delete.ref;
    const said = { group: '', plural: 'pods', name };
    const isSure = (intent: WriteIntent, missing: Missing) =>
      isSureOf(judge(intent, { ...failure('NOT_FOUND'), missing }));
    expect([
      isSure(intents.delete, said),
      isSure(intents.patch, said),
      isSure(intents.delete, { ...said, name: 'another' }),
      isSure(intents.delete, { ...said, plural: 'namespaces' }),
      isSure(intents.delete, { ...said, group: 'metrics.k8s.io' }),
      // Its CRD may have no such subresource: then only a look at it tells.
      isSure(intents.status, said),
    ]).toEqual([true, true, false, false, false, false]);
    const read = { ...failure('NOT_FOUND'), missing: said };
    for (const intent of [intents.delete, intents.patch, intents.status]) {
      expect(isSureOf(judgeRead(intent, failure('CONFLICT'), read))).toBe(true);
    }
  });

  it('keeps what the server asked to wait', () => {
    const verdict = judge(intents.create, { ...failure('THROTTLED'), retryAfterMs: 7_000 });
    expect(verdict).toMatchObject({ type: 'failed', afterMs: 7_000 });
  });
});

describe('The verdict after a read', () => {
  const rows: [string, keyof typeof intents, ErrorCode, WriteOutcome, object][] = [
    [
      'own earlier create',
      'create',
      'ALREADY_EXISTS',
      { ok: true, object: pod('x', 'owner-uid') },
      { type: 'done' },
    ],
    [
      'another owner’s object',
      'create',
      'ALREADY_EXISTS',
      { ok: true, object: pod('x', 'other') },
      { retry: 'backoff' },
    ],
    [
      'an object without owner',
      'create',
      'ALREADY_EXISTS',
      { ok: true, object: pod('x') },
      { retry: 'backoff' },
    ],
    [
      'a name that is free again',
      'create',
      'ALREADY_EXISTS',
      failure('NOT_FOUND'),
      { retry: 'now' },
    ],
    [
      'a newer version',
      'patch',
      'CONFLICT',
      { ok: true, object: live },
      { retry: 'now', code: 'CONFLICT' },
    ],
    ['another UID', 'patch', 'CONFLICT', { ok: true, object: pod('v') }, { retry: 'now' }],
    ['another UID', 'delete', 'CONFLICT', { ok: true, object: pod('v') }, { type: 'done' }],
    ['a newer version', 'delete', 'CONFLICT', { ok: true, object: live }, { retry: 'now' }],
    ['nothing', 'status', 'CONFLICT', failure('NOT_FOUND'), { code: 'NOT_FOUND', retry: 'now' }],
    ['nothing', 'delete', 'CONFLICT', failure('NOT_FOUND'), { type: 'done' }],
    [
      'no answer',
      'status',
      'CONFLICT',
      failure('UNREACHABLE'),
      { code: 'CONFLICT', retry: 'backoff' },
    ],
    [
      'no answer',
      'create',
      'ALREADY_EXISTS',
      failure('UNREACHABLE'),
      { type: 'failed', code: 'UNREACHABLE', retry: 'backoff' },
    ],
    ['an empty answer', 'patch', 'CONFLICT', { ok: true }, { retry: 'backoff' }],
  ];
  it.each(rows)('that shows %s (%s, %s)', (_what, op, code, read, expected) => {
    expect(judgeRead(intents[op], failure(code), read)).toMatchObject(expected);
  });

  it('of another UID says that ours is gone, then what is there', () => {
    const verdict = judgeRead(intents.patch, failure('CONFLICT'), { ok: true, object: pod('v') });
    expect(verdict).toMatchObject({
      observations: [
        { type: 'gone', uid: 'u' },
        { type: 'seen', object: { metadata: { uid: 'v' } } },
      ],
    });
  });
});

describe('The verdict on a success', () => {
  it('observes the reply, or that the object is gone', () => {
    expect(judge(intents.patch, { ok: true, object: live })).toMatchObject({
      observations: [{ type: 'seen', kind: 'Pod', object: live }],
    });
    expect(judge(intents.delete, { ok: true, gone: true })).toMatchObject({
      observations: [{ type: 'gone', uid: 'u' }],
    });
    expect(judge(intents.delete, { ok: true })).toMatchObject({ observations: [] });
  });
});

describe('The verdict on what may not be read', () => {
  it('of a name that is taken is that it is tried again, and nothing is said of whose it is', () => {
    expect(judgeUnread(intents.create, failure('ALREADY_EXISTS'))).toMatchObject({
      code: 'ALREADY_EXISTS',
      retry: 'backoff',
      observations: [],
    });
  });

  it('of a deletion that meets another UID is that it is done', () => {
    expect(judgeUnread(intents.delete, failure('CONFLICT'))).toMatchObject({ type: 'done' });
    const exact = { ...remove(live, 'Pod'), resourceVersion: '7' };
    expect(judgeUnread(exact, failure('CONFLICT'))).toMatchObject({ retry: 'backoff' });
  });
});

describe('A Secret that was read since its name is taken', () => {
  const owner = { apiVersion: 'x', kind: 'X', name: 'x', controller: true };
  const secret = (uid: string, more: object = {}): KubeObject => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 's', uid: `of ${uid}`, ownerReferences: [{ ...owner, uid }], ...more },
  });
  const ref = { kind: 'Secret', namespace: 'default', name: 's' } as const;
  const create: WriteIntent = { type: 'createObject', ref, reason: '', body: secret('own') };
  const judged = (object: KubeObject) =>
    judgeRead(create, failure('ALREADY_EXISTS'), { ok: true, object });

  it('is ours by its owner, and its UID is told', () => {
    const verdict = judged(secret('own'));
    if (verdict.type !== 'done') throw new Error(verdict.type);
    expect(createdUid(create, verdict)).toBe('of own');
  });

  it.each([
    ['is waited for while it terminates', secret('own', { deletionTimestamp: 'x' }), 'CONFLICT'],
    ['is waited for where an earlier owner of the name left it', secret('other'), 'CONFLICT'],
    ['is another’s else', secret('y', { ownerReferences: [] }), 'ALREADY_EXISTS'],
  ])('%s', (_, object, code) => {
    expect(judged(object)).toMatchObject({ type: 'failed', code, retry: 'backoff' });
  });
});
