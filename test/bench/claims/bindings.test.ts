// What is counted as a cold start and as a double binding.
import { describe, expect, test } from 'vitest';
import { bindingsOf } from './bindings.ts';
import { labels } from './objects.ts';

const claim = (uid: string, sandbox: string) => ({
  metadata: { uid },
  status: { sandbox: { name: sandbox } },
});
const sandbox = (name: string, owner: string, launch = 'warm') => ({
  metadata: {
    name,
    labels: { [labels.launchType]: launch },
    ownerReferences: [{ uid: owner, controller: true }],
  },
});

describe('Bindings', () => {
  test('are right where each claim owns the one Sandbox that it names, members aside (C1)', () => {
    const sandboxes = [sandbox('s1', 'a'), sandbox('s2', 'b'), sandbox('s3', 'pool', 'cold')];
    expect(bindingsOf([claim('a', 's1'), claim('b', 's2')], sandboxes)).toEqual({
      cold_starts: 0,
      double_bindings: 0,
    });
  });

  test('are counted where a claim owns two, none or another, and where two name one (C4)', () => {
    const claims = [claim('a', 's1'), claim('b', 's3'), claim('c', 's3')];
    const sandboxes = [sandbox('s1', 'a'), sandbox('s2', 'a'), sandbox('s3', 'b')];
    expect(bindingsOf(claims, sandboxes).double_bindings).toBe(3);
  });

  test('are cold by the label of the Sandbox alone', () => {
    const sandboxes = [sandbox('s1', 'a', 'cold'), sandbox('s2', 'b', '')];
    expect(bindingsOf([claim('a', 's1'), claim('b', 's2')], sandboxes).cold_starts).toBe(2);
  });
});
