// A server was away, and may come back with another history: one kind finds out, and all are listed
// on its return, also those whose watches noticed nothing.
import { expect, test } from 'vitest';
import type { Kind } from '#machines/kinds.ts';
import { createKubeClient } from '#src/kube/client.ts';
import { seeded, VirtualClock } from '#test/support/virtual-clock.ts';
import { clique, list } from '../support/objects.ts';
import { ScriptedTransport } from '../support/scripted-transport.ts';

const refused = new Error('connection refused');
const a1 = clique({ name: 'a', version: 1 });

/** A client that watches PodCliques and PodGangs, and a third kind for company. */
async function watching() {
  const clock = new VirtualClock();
  const transport = new ScriptedTransport();
  const random = seeded(1);
  const client = createKubeClient({ transport, clock, random, host: 'server', log: () => {} });
  const lost: string[] = [];
  const kinds: readonly Kind[] = ['PodClique', 'PodGang', 'Service'];
  const reflection = client.reflect(kinds, () => {}, { lost: ({ code }) => lost.push(code) });
  await clock.drain();
  const listsOf = (plural: string) =>
    transport.requests.filter(({ path }) => path.includes(`/${plural}?`));
  const watchOf = (plural: string) =>
    transport.watches.findLast(({ path }) => path.includes(`/${plural}?`));
  const answerList = async (plural: string, version: number, items: readonly unknown[]) => {
    listsOf(plural).at(-1)?.answer(200, list(version, items));
    await clock.drain();
  };
  /** Its watch breaks, and the next finds nobody there. */
  const findAway = async (plural: string): Promise<void> => {
    await clock.advance(2_000);
    watchOf(plural)?.end({ kind: 'ended', error: refused });
    await clock.advance(300);
    watchOf(plural)?.end({ kind: 'ended', error: refused });
    await clock.advance(1_000);
  };
  await answerList('podcliques', 50, [a1]);
  await answerList('podgangs', 50, []);
  await answerList('services', 50, []);
  return { clock, transport, client, reflection, lost, listsOf, watchOf, answerList, findAway };
}

test('a server that one kind found away is listed whole on its return', async () => {
  const { clock, lost, listsOf, watchOf, answerList, findAway } = await watching();
  watchOf('podcliques')?.send('MODIFIED', clique({ name: 'a', version: 60 }));
  await findAway('podgangs');
  expect([listsOf('podgangs').length, listsOf('podcliques').length]).toEqual([2, 1]);
  await answerList('podgangs', 70, []);
  expect(listsOf('services')).toHaveLength(2);
  await answerList('podcliques', 70, [clique({ name: 'a', version: 55 })]);
  await clock.drain();
  expect(lost).toEqual(['HISTORY_LOST']);
});

test('a kind that was listed since the server was found away is not listed again', async () => {
  const { listsOf, answerList, findAway } = await watching();
  await findAway('podgangs');
  await findAway('podcliques');
  await answerList('podcliques', 70, [a1]);
  await answerList('podgangs', 70, []);
  await answerList('services', 70, []);
  expect(listsOf('podcliques')).toHaveLength(2);
  expect(listsOf('services')).toHaveLength(2);
});

test('all kinds are listed once in twenty seconds, however often nobody is there', async () => {
  const { clock, listsOf, answerList, findAway } = await watching();
  await findAway('podgangs');
  await answerList('podgangs', 70, []);
  await answerList('services', 70, []);
  await answerList('podcliques', 70, [a1]);
  await findAway('podcliques');
  await answerList('podcliques', 71, [a1]);
  await clock.advance(10_000);
  expect(listsOf('services')).toHaveLength(2);
  await clock.advance(10_000);
  expect(listsOf('services')).toHaveLength(3);
  await answerList('services', 72, []);
  await answerList('podgangs', 72, []);
  await findAway('services');
  await answerList('services', 73, []);
  await clock.advance(20_000);
  expect(listsOf('podgangs')).toHaveLength(4);
});

test('a list that is put off is not taken after a stop', async () => {
  const { clock, transport, reflection, answerList, findAway } = await watching();
  await findAway('podgangs');
  await answerList('podgangs', 70, []);
  await answerList('services', 70, []);
  await answerList('podcliques', 70, [a1]);
  await findAway('podcliques');
  await answerList('podcliques', 71, [a1]);
  const before = transport.requests.length;
  reflection.stop();
  expect(clock.pending).toBe(0);
  await clock.advance(60_000);
  expect(transport.requests).toHaveLength(before);
});

test('an outage that is only suspected is one: every kind is listed at once', async () => {
  const { clock, lost, reflection, listsOf, watchOf, answerList } = await watching();
  watchOf('podcliques')?.send('MODIFIED', clique({ name: 'a', version: 60 }));
  reflection.suspectOutage();
  await clock.drain();
  expect(['podcliques', 'podgangs', 'services'].map((one) => listsOf(one).length)).toEqual([
    2, 2, 2,
  ]);
  await answerList('podcliques', 70, [clique({ name: 'a', version: 55 })]);
  expect(lost).toEqual(['HISTORY_LOST']);
});

test('outages that are suspected in a row list every kind once in twenty seconds', async () => {
  const { clock, reflection, listsOf, answerList } = await watching();
  reflection.suspectOutage();
  await clock.drain();
  await answerList('podcliques', 70, [a1]);
  await answerList('podgangs', 70, []);
  await answerList('services', 70, []);
  reflection.suspectOutage();
  reflection.suspectOutage();
  await clock.advance(19_000);
  expect(listsOf('services')).toHaveLength(2);
  await clock.advance(1_000);
  expect(listsOf('services')).toHaveLength(3);
});
