// Whom a claim gets of a pool's members that are Ready, that have a pod IP at least, and that have
// none.
import { describe, expect, it } from 'vitest';
import {
  type Candidates,
  choose,
  noCandidates,
  put,
} from '#machines/agentsandbox/warmpool/queue/candidates.ts';

type Standing = keyof Candidates | undefined;

const candidatesOf = (...members: [name: string, standing: Standing, nodeName?: string][]) =>
  members.reduce(
    (all, [name, standing, nodeName = 'n1']) => put(all, { name, nodeName }, standing),
    noCandidates,
  );

const take = () => 'take' as const;
const names = ({ ready, unready }: Candidates) => ({
  ready: ready.keys().map(({ name }) => name),
  unready: unready.keys().map(({ name }) => name),
});

describe('Candidates', () => {
  it('give a Ready member before older and fuller ones that are not (Q20, G3)', () => {
    const all = candidatesOf(['a', 'unready'], ['b', 'unready'], ['c', 'ready', 'n2']);
    const { chosen, rest } = choose(all, take);
    expect(chosen?.name).toBe('c');
    expect(names(rest)).toEqual({ ready: [], unready: ['a', 'b'] });
  });

  it('give the first unready one by the strategy when none is Ready (Q21)', () => {
    const all = candidatesOf(['a', 'unready'], ['b', 'unready', 'n2'], ['c', 'unready', 'n2']);
    expect(choose(all, take).chosen?.name).toBe('b');
  });

  it('never give one without a pod IP (Q22)', () => {
    expect(choose(candidatesOf(['a', undefined]), take).chosen).toBeUndefined();
  });

  it('have each member in one queue, at the tail where it comes anew', () => {
    const all = candidatesOf(['a', 'unready'], ['b', 'ready'], ['c', 'unready'], ['a', 'ready']);
    expect(names(all)).toEqual({ ready: ['b', 'a'], unready: ['c'] });
    expect(names(put(all, { name: 'b', nodeName: 'n1' }, 'unready'))).toEqual({
      ready: ['a'],
      unready: ['c', 'b'],
    });
    expect(names(put(all, { name: 'b', nodeName: 'n1' }, undefined)).ready).toEqual(['a']);
  });

  it('are the very same where nothing is new, as after the first list (Q17)', () => {
    const all = candidatesOf(['a', 'ready'], ['b', 'unready'], ['c', undefined]);
    expect(put(all, { name: 'a', nodeName: 'n1' }, 'ready')).toBe(all);
    expect(put(all, { name: 'b', nodeName: 'n1' }, 'unready')).toBe(all);
    expect(put(all, { name: 'c', nodeName: 'n1' }, undefined)).toBe(all);
  });

  it('have back what was skipped in either queue (Q23)', () => {
    const all = candidatesOf(['a', 'ready'], ['b', 'ready'], ['c', 'unready'], ['d', 'unready']);
    const { chosen, rest } = choose(all, ({ name }, standing) =>
      standing === 'ready' ? 'skip' : name === 'c' ? 'drop' : 'take',
    );
    expect(chosen?.name).toBe('d');
    expect(names(rest)).toEqual({ ready: ['a', 'b'], unready: [] });
  });
});
