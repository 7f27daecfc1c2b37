// What is on the path of a claim and what is behind it, by made-up requests.
import { describe, expect, test } from 'vitest';
import type { AuditedRequest } from '#test/e2e/real/audit.ts';
import { splitWrites } from './audited.ts';

const request = (
  [verb = '', resource = '', name = '']: readonly string[],
  atMs: number,
  more: Partial<AuditedRequest> = {},
): AuditedRequest => ({
  agent: 'coppice-controller',
  atMs,
  verb,
  group: '',
  resource,
  namespace: 'bench',
  name,
  code: 200,
  message: '',
  ...more,
});

const claims = [{ claim: 'claim-0', sandbox: 'pool-a', postMs: 100, readyMs: 150 }];
const split = (...requests: readonly AuditedRequest[]) =>
  splitWrites(requests, claims, 'coppice-controller');

describe('The path of a claim', () => {
  test('is what is written of it and of its Sandbox until it is Ready, refusals too', () => {
    const { path, behind } = split(
      request(['patch', 'sandboxclaims', 'claim-0'], 110),
      request(['patch', 'sandboxes', 'pool-a'], 120, { code: 409 }),
      request(['patch', 'sandboxes', 'pool-a'], 125),
      request(['patch', 'sandboxclaims/status', 'claim-0'], 140),
    );
    expect(path).toEqual({
      'patch sandboxclaims 200': 1,
      'patch sandboxes 409': 1,
      'patch sandboxes 200': 1,
      'patch sandboxclaims/status 200': 1,
    });
    expect(behind).toEqual({});
  });

  test('ends with its status, also where the watch tells of that after a stamp was written', () => {
    const { path, behind } = split(
      request(['patch', 'sandboxclaims/status', 'claim-0'], 140),
      request(['patch', 'sandboxclaims', 'claim-0'], 149),
    );
    expect(path).toEqual({ 'patch sandboxclaims/status 200': 1 });
    expect(behind).toEqual({ 'patch sandboxclaims 200': 1 });
  });

  test('has a status, though the clock of the load says that it came too late', () => {
    const { path, behind } = split(
      request(['patch', 'sandboxclaims/status', 'claim-0'], 151),
      request(['patch', 'sandboxclaims/status', 'claim-0'], 160),
    );
    expect(path).toEqual({ 'patch sandboxclaims/status 200': 1 });
    expect(behind).toEqual({ 'patch sandboxclaims/status 200': 1 });
  });

  test('has neither stamps, refill and Events, nor what was written before it was there', () => {
    const { path, behind } = split(
      request(['patch', 'sandboxes/status', 'pool-a'], 40),
      request(['create', 'events', 'claim-0'], 130, { code: 201 }),
      request(['create', 'sandboxes', 'pool-b'], 130, { code: 201 }),
      request(['patch', 'pods', 'pool-a'], 130),
      request(['patch', 'sandboxclaims', 'claim-0'], 160),
    );
    expect(path).toEqual({});
    expect(Object.keys(behind)).toHaveLength(5);
  });
});

describe('Requests', () => {
  test('of other programs are told by their names, and reads not at all', () => {
    const { path, behind, others } = split(
      request(['create', 'sandboxclaims', 'claim-0'], 100, { agent: 'coppice-bench-load' }),
      request(['patch', 'pods/status', 'pool-b'], 130, { agent: 'kwok' }),
      request(['list', 'sandboxes'], 130),
    );
    expect({ path, behind }).toEqual({ path: {}, behind: {} });
    expect(others).toEqual({
      'coppice-bench-load create sandboxclaims 200': 1,
      'kwok patch pods/status 200': 1,
    });
  });
});

describe('The stages of a path', () => {
  test('are the times from one accepted write to the next, in the middle of all claims', () => {
    const { stages } = splitWrites(
      [
        request(['patch', 'sandboxclaims', 'claim-0'], 104),
        request(['patch', 'sandboxes', 'pool-a'], 110, { code: 409 }),
        request(['patch', 'sandboxes', 'pool-a'], 115),
        request(['patch', 'sandboxclaims/status', 'claim-0'], 140),
      ],
      [...claims, { claim: 'claim-1', sandbox: 'pool-b', postMs: 100, readyMs: 900 }],
      'coppice-controller',
    );
    expect(stages).toEqual({ assigned: 4, taken_over: 11, told: 25, seen: 10 });
  });
});
