// The warm queue by the statements of the spec, section 3. That names are unique without their
// namespace, and queues without their pool's (Q3, Q4), is due to the actor: there is one per pool.
import { queryObjects } from 'node:v8';
import { describe, expect, it } from 'vitest';
import { Fifo, Queued, type QueueKey } from '#machines/agentsandbox/warmpool/queue/fifo.ts';
import { WarmQueue } from '#machines/agentsandbox/warmpool/queue/queue.ts';
import { Version } from '#machines/contract/versions.ts';

/** `a@n1 b`: a on n1, and b without a node. */
const queueOf = (keys: string): WarmQueue => WarmQueue.of(keys.split(' ').map(keyOf));

function keyOf(word: string): QueueKey {
  const [name = '', nodeName = ''] = word.split('@');
  return { name, nodeName };
}

const shown = (queue: WarmQueue): string =>
  [...queue]
    .map(({ name, nodeName }) => (nodeName === '' ? name : `${name}@${nodeName}`))
    .join(' ');

/** As a claim takes it. */
const withoutFirst = (queue: WarmQueue): WarmQueue => queue.remove(queue.pick()?.name ?? '');

/** Names in the order in which claims take them. */
function drained(queue: WarmQueue): string {
  const names: string[] = [];
  for (let rest = queue; rest.size > 0; rest = withoutFirst(rest)) {
    names.push(rest.pick()?.name ?? 'none');
  }
  return names.join(' ');
}

/** How many there are in this process, after a collection. */
const countOf = (what: typeof Queued | typeof Version): number =>
  queryObjects(what, { format: 'count' });

describe('A warm queue', () => {
  it('has one key of a name, whatever its nodes were (Q1)', () => {
    expect(shown(queueOf('a@n1 a@n2 a a@n1'))).toBe('a@n1');
  });

  it('keeps the place of a key that is added again, and takes its node, be it none (Q2)', () => {
    expect(shown(queueOf('a@n1 b@n1 c').add(keyOf('a@n2')))).toBe('a@n2 b@n1 c');
    expect(shown(queueOf('a@n1 b@n1 c').add(keyOf('b')))).toBe('a@n1 b c');
    expect(drained(queueOf('a b@n1 c@n1').add(keyOf('a@n1')))).toBe('a b c');
  });

  it('has nothing in common with the queue of another pool (Q3, Q4)', () => {
    const empty = WarmQueue.of();
    const [one, other] = [empty.add(keyOf('a@n1')), empty.add(keyOf('a@n2'))];
    expect([shown(one), shown(other), shown(empty)]).toEqual(['a@n1', 'a@n2', '']);
  });

  it('appends a key that was taken and comes again (Q5, Q19)', () => {
    const queue = queueOf('a@n1 b@n1');
    expect(queue.pick()).toEqual(keyOf('a@n1'));
    expect(shown(withoutFirst(queue).add(keyOf('a@n2')))).toBe('b@n1 a@n2');
  });

  it('gives each of n takers another key, and the next one none (Q6, Q11)', () => {
    const queue = queueOf('a@n1 b@n2 c d@n1');
    expect(drained(queue).split(' ').toSorted()).toEqual(['a', 'b', 'c', 'd']);
    expect(WarmQueue.of().pick()).toBeUndefined();
  });

  it.each([
    ['the head', 'a', 'b@n1 c d@n2'],
    ['one in the middle', 'b', 'a@n1 c d@n2'],
    ['one without a node', 'c', 'a@n1 b@n1 d@n2'],
    ['the tail', 'd', 'a@n1 b@n1 c'],
  ])('keeps the order of the others when %s leaves (Q7)', (_, name, rest) => {
    expect(shown(queueOf('a@n1 b@n1 c d@n2').remove(name))).toBe(rest);
  });

  it('does not change when an unknown key leaves (Q7)', () => {
    const queue = queueOf('a@n1 b');
    expect(queue.remove('c')).toBe(queue);
  });

  it('gives nothing while it is empty, and stays so (Q8)', () => {
    const queue = WarmQueue.of();
    expect(queue.pick()).toBeUndefined();
    expect(withoutFirst(queue)).toBe(queue);
  });

  it('begins anew after it was emptied (Q9)', () => {
    const emptied = queueOf('a@n1 b@n2').remove('a').remove('b');
    expect([emptied.size, shown(emptied), emptied.pick()]).toEqual([0, '', undefined]);
    expect(shown(emptied.add(keyOf('b@n2')).add(keyOf('a@n1')))).toBe('b@n2 a@n1');
  });

  it('leaves a key that was removed without its neighbours, which it would keep (M1)', () => {
    const keys = ['a', 'b', 'c'].map((name, age) => new Queued(name, '', age));
    for (const removed of keys) {
      const fifo = new Fifo();
      for (const key of keys) fifo.add(key);
      fifo.remove(removed);
      expect([removed.older, removed.younger, removed.fifo]).toEqual(Array(3).fill(undefined));
      expect([fifo.size, fifo.first?.name]).toEqual([2, removed.name === 'a' ? 'b' : 'a']);
    }
  });

  it('keeps no key and no version that nobody else keeps (Q9, M1)', () => {
    const [keys, versions] = [countOf(Queued), countOf(Version)];
    let queue = WarmQueue.of();
    let taken: QueueKey | undefined;
    for (let round = 0; round < 20_000; round++) {
      const nodeName = round % 3 === 0 ? '' : `node-${round % 70}`;
      queue = queue
        .add({ name: `pool-${round}`, nodeName })
        .add({ name: `pool-${round - 5}`, nodeName: 'moved' });
      if (queue.size <= 10) continue;
      // Whoever keeps a key that was taken keeps no other with it.
      taken ??= queue.pick();
      queue = round % 2 === 0 ? withoutFirst(queue) : queue.remove(queue.keys()[0]?.name ?? '');
    }
    expect([queue.size, taken === undefined]).toEqual([10, false]);
    expect(countOf(Queued) - keys).toBeLessThan(20);
    expect(countOf(Version) - versions).toBeLessThan(10);
  });

  it('equals another one by its keys and their order', () => {
    expect(queueOf('a b@n2').add(keyOf('b@n1'))).toEqual(queueOf('a b@n1'));
    expect(queueOf('a b@n1')).not.toEqual(queueOf('a b@n2'));
    expect(queueOf('a b')).not.toEqual(queueOf('b a'));
  });
});

describe('The pick', () => {
  it('changes nothing, so who declines leaves the queue as it was (Q10)', () => {
    const queue = queueOf('a@n1 b@n2 c@n1');
    expect([queue.pick(), queue.pick()]).toEqual([keyOf('a@n1'), keyOf('a@n1')]);
    expect(shown(queue)).toBe('a@n1 b@n2 c@n1');
  });

  it.each([
    ['the example of 3.2', 'a@n1 b@n2 c@n1 d e@n2 f@n1', 'a b c e f d'],
    ['a single key', 'a@n1', 'a'],
    ['an older key without a node (Q12)', 'a b@n1', 'b a'],
    ['no key with a node', 'c a b', 'c a b'],
    ['the fullest node (Q13)', 'a@B b@A c@A d@A', 'b c a d'],
    ['nodes in turns once they are even (Q13)', 'a@A b@A c@A d@B e@B', 'a b d c e'],
    ['the oldest of all keys on tied nodes (Q13)', 'a@A b@B c@B d@A e@C f@C', 'a b e c d f'],
    ['nodes that have one key each: FIFO (Q14)', 'c@n3 a@n1 b@n2', 'c a b'],
  ])('prefers as 3.2 says: %s', (_, keys, order) => {
    expect(drained(queueOf(keys))).toBe(order);
  });

  it('counts what is left, not what was taken from a node (Q15)', () => {
    const queue = queueOf('a@A b@A c@A d@B e@B').remove('a').remove('b');
    expect(drained(queue)).toBe('d c e');
  });

  it('loses no key and ends though nodes change between picks (Q16)', () => {
    let rest = queueOf('a@n1 b@n2 c@n1 d e@n2');
    const names: string[] = [];
    for (let key = rest.pick(); key !== undefined; key = rest.pick()) {
      names.push(key.name);
      rest = rest.remove(key.name);
      for (const { name, nodeName } of rest) rest = rest.add({ name, nodeName: `${nodeName}x` });
    }
    expect(names.toSorted()).toEqual(['a', 'b', 'c', 'd', 'e']);
  });
});
