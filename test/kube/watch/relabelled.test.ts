// Objects that lose the label by which they are watched and get it back, with replies that come
// before and after the watch has told so: what a cache believes in the end.
import { expect, test } from 'vitest';
import { Cache } from '#actors/mail/cache.ts';
import type { Observation } from '#actors/ports.ts';
import { createKubeClient } from '#src/kube/client.ts';
import { lateReplyMs, unlabelledPauseMs } from '#src/kube/limits.ts';
import { seeded, VirtualClock } from '#test/support/virtual-clock.ts';
import { list } from '../support/objects.ts';
import { ScriptedTransport } from '../support/scripted-transport.ts';
import { workerLabel } from '../support/workers.ts';

const ref = { kind: 'WorkerNode', namespace: '', name: 'n' } as const;

const node = (version: number, labels: Record<string, string> = { [workerLabel]: '' }) => ({
  metadata: { name: 'n', uid: 'u', resourceVersion: String(version), labels },
});

/** The node is listed at version 10, and watched; the cache takes in replies at once, and what
 *  lists and watches tell at `tick`. */
async function watching() {
  const clock = new VirtualClock();
  const transport = new ScriptedTransport();
  const cache = new Cache({ tombstones: 10 });
  const waiting: Observation[] = [];
  const options = { transport, clock, random: seeded(1), host: 'server', log: () => {} };
  const client = createKubeClient(options);
  const emit = (observation: Observation): number => waiting.push(observation);
  client.reflect(['WorkerNode'], emit, { echoed: () => {} });
  const take = (observation: Observation): unknown => {
    if (observation.type === 'seen') return cache.see(observation.kind, observation.object);
    return cache.gone(observation.ref, observation.uid, observation);
  };
  const tick = (): void => waiting.splice(0).forEach(take);
  /** A read that is sent now; the function answers it. */
  const reading = async (): Promise<(object: unknown) => Promise<void>> => {
    const read = client.cluster.read(ref);
    await clock.drain();
    const { answer } = transport.lastRequest;
    return async (object) => {
      answer(200, object);
      const outcome = await read;
      if (outcome.ok && outcome.object !== undefined) {
        take({ type: 'seen', kind: 'WorkerNode', object: outcome.object });
      }
    };
  };
  await clock.drain();
  transport.lastRequest.answer(200, list(10, [node(10)]));
  await clock.drain();
  tick();
  return { clock, transport, client, tick, reading, version: () => cache.get(ref)?.version };
}

test('a reply shows the label again before the loss of it was taken in: the object stays', async () => {
  const { transport, tick, reading, version } = await watching();
  transport.lastWatch.send('DELETED', node(20));
  const answer = await reading();
  await answer(node(30));
  tick();
  transport.lastWatch.send('ADDED', node(30));
  tick();
  expect(version()).toBe('30');
});

test('a late reply is from before the loss of the label, and the label is back: the object stays', async () => {
  const { clock, transport, tick, reading, version } = await watching();
  const answer = await reading();
  transport.lastWatch.send('DELETED', node(20));
  tick();
  await answer(node(18));
  transport.lastWatch.send('ADDED', node(25));
  tick();
  await clock.advance(lateReplyMs);
  tick();
  expect(version()).toBe('25');
});

test('a late reply alone brings nothing back for good', async () => {
  const { clock, transport, tick, reading, version } = await watching();
  const answer = await reading();
  transport.lastWatch.send('DELETED', node(20));
  tick();
  await answer(node(18));
  await clock.advance(lateReplyMs);
  tick();
  expect(version()).toBeUndefined();
});

test('a list that does not show the object is older than the reply that does: it stays', async () => {
  const { clock, transport, tick, reading, version } = await watching();
  transport.lastWatch.send('ERROR', { code: 410, reason: 'Expired' });
  await clock.drain();
  const { answer: answerList } = transport.lastRequest;
  const answer = await reading();
  await answer(node(30));
  answerList(200, list(20, []));
  await clock.drain();
  tick();
  transport.lastWatch.send('ADDED', node(30));
  tick();
  expect(version()).toBe('30');
});

test('what the watch has seen to end is not in a list that was under way', async () => {
  const { clock, transport, client } = await watching();
  const listed = client.cluster.list?.('WorkerNode', { labels: {} });
  await clock.drain();
  transport.lastRequest.answer(200, list(15, [node(10)], 'more'));
  await clock.drain();
  transport.lastWatch.send('DELETED', node(20));
  const other = { metadata: { ...node(12).metadata, name: 'm', uid: 'v' } };
  transport.lastRequest.answer(200, list(15, [other]));
  expect(await listed).toMatchObject({ ok: true, objects: [{ metadata: { name: 'm' } }] });
});

test('an object that a reply shows without the label is forgotten after a while', async () => {
  const { clock, transport, tick, reading, version } = await watching();
  const answer = await reading();
  transport.lastWatch.send('DELETED', node(20));
  tick();
  await answer(node(20, {}));
  expect(version()).toBe('20');
  await clock.advance(unlabelledPauseMs.most);
  tick();
  expect(version()).toBeUndefined();
});

test('an object that got its label since a reply showed it without stays', async () => {
  const { clock, transport, tick, reading, version } = await watching();
  const answer = await reading();
  transport.lastWatch.send('DELETED', node(20));
  await answer(node(21, {}));
  transport.lastWatch.send('ADDED', node(30));
  tick();
  await clock.advance(unlabelledPauseMs.most);
  tick();
  expect(version()).toBe('30');
});
