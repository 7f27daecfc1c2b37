// What `coppice dev` waits for, and what it says where that does not come.
import { describe, expect, test } from 'vitest';
import { picture } from '#src/dev/picture.ts';
import { lateness, openIn } from '#src/dev/show.ts';
import type { DevLine } from '#src/modules/edge.ts';

const line = (kind: string, name: string, done: boolean, ...trouble: string[]): DevLine => ({
  ...{ kind, key: `default/${name}`, done, trouble },
  summary: `${kind} ${name}`,
});
const pool = line('SandboxWarmPool', 'a', true);
const set = line('PodCliqueSet', 'a', false, 'no room');

describe('what is waited for', () => {
  test('is open until it is done, by kind and name', () => {
    expect(openIn([pool, set], [pool])).toEqual([]);
    expect(openIn([pool, set], [pool, set])).toEqual([set]);
  });

  test('is open where it is not seen', () => {
    const absent = { kind: 'SandboxClaim', key: 'default/a' };
    expect(openIn([pool], [pool, absent])).toEqual([absent]);
  });

  test('is named with its trouble where it does not come', () => {
    const wanted = [pool, set, { kind: 'SandboxClaim', key: 'default/b' }];
    expect(lateness([pool, set], { wanted, timeoutMs: 2_000 })).toBe(
      'not ready after 2 s:\n  PodCliqueSet a\n    no room\n  SandboxClaim default/b is not there',
    );
  });
});

describe('the picture', () => {
  const size = { rows: 9, columns: 20, seconds: 1.23 };

  test('has what each module paints, and nothing of those that have nothing', () => {
    const lines = picture([['a'], [], ['b', 'c']], size);
    expect(lines).toEqual(['Coppice  1.2 s', '', 'a', '', 'b', 'c']);
  });

  test('is cut to the terminal', () => {
    const lines = picture([['x'.repeat(30), '1', '2', '3']], { ...size, rows: 4 });
    expect(lines).toEqual(['Coppice  1.2 s', '', `${'x'.repeat(19)}…`, '… 3 more lines']);
  });
});
