// From a pod that became ready back to the edit that caused it, over a real NATS: the facts of a
// deploy and of a scaling, as a subscriber hears them and as the history keeps them.
import { jetstreamManager } from '@nats-io/jetstream';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Fact } from '#actors/ports.ts';
import { decodeFact } from '#bus/codec.ts';
import { historyStream } from '#bus/nats/history.ts';
import { formatSubject, subjectsOf } from '#bus/subjects.ts';
import { at } from '#machines/kubernetes/json.ts';
import { eventually } from '#test/support/eventually.ts';
import { natsSkip } from '#test/support/nats.ts';
import { Place, type Running } from '#test/support/place.ts';
import { createNamespace, createSet, patchSet } from '#test/support/workload.ts';

const patient = { timeout: 120_000 };
const namespace = 'causes';

describe(`A pod's Ready${natsSkip}`, () => {
  const place = new Place();
  let nats: NatsConnection;
  let controller: Running;
  const heard: Fact[] = [];

  beforeAll(async () => {
    if (natsSkip !== '') return;
    await place.start({ nodes: 4 });
    nats = await connect({ servers: place.nats?.url ?? '' });
    nats.subscribe(subjectsOf.fact, {
      callback: (_error, message) => {
        const fact = decodeFact(message.data);
        if (!fact.ok) throw new Error(JSON.stringify(fact));
        if (message.subject !== subjectOf(fact.value)) throw new Error(message.subject);
        heard.push(fact.value);
      },
    });
    await nats.flush();
    controller = await place.controller();
    await Promise.all([
      controller.program.line(/connected to NATS/),
      controller.program.line(/controller synced/),
      controller.program.line(/the stream of facts/),
    ]);
    await createNamespace(place.client, namespace);
  }, 60_000);
  afterAll(async () => {
    await nats?.close();
    await place.end();
  });

  function subjectOf({ about, what }: Fact): string {
    const subject = formatSubject({ type: 'fact', about, what });
    return subject.ok ? subject.value : '';
  }

  /** Facts from one on to the one that has no cause. */
  function road(from: Fact): readonly Fact[] {
    const byId = new Map(heard.map((fact) => [fact.id, fact]));
    const facts = [from];
    for (let fact = from; fact.cause !== '';) {
      const cause = byId.get(fact.cause);
      if (cause === undefined) throw new Error(`no fact ${fact.cause}, cause of ${fact.what}`);
      facts.push(cause);
      fact = cause;
    }
    return facts;
  }

  /** What the readiness of a replica's pods led to in its PodClique, once that was heard. */
  async function ready(clique: string): Promise<readonly (readonly Fact[])[]> {
    const ofClique = (): readonly Fact[] => heard.filter(({ about }) => about.name === clique);
    const isWritten = ({ what, data }: Fact): boolean =>
      what === 'wrote' && data['op'] === 'status' && data['reason'] === '2 of 2 pods ready';
    const isMet = ({ what, data }: Fact): boolean =>
      what === 'transition' && at(data, 'to', 'active', 'breach') === 'met';
    const facts = await eventually(
      'heard',
      ofClique,
      (all) => all.some(isWritten) && all.some(isMet),
    );
    return [isMet, isWritten].map((claim) => road(facts.find(claim) ?? failing(clique)));
  }

  const replicas = (): unknown =>
    at(place.onlooker.one('podcliquesets', namespace, 'demo'), 'status', 'availableReplicas');

  /** The road must lead over the pod and its creation to an edit of the set, and not further. */
  function judge(facts: readonly Fact[], clique: string): Fact {
    const [effect, pod, before] = facts;
    expect(effect?.about).toEqual({ kind: 'podclique', namespace, name: clique });
    // One tick may bring the readiness of one pod with the answer to the creation of the other.
    const creation = pod?.what === 'wrote' ? pod : before;
    expect(creation).toMatchObject({ what: 'wrote', data: { op: 'create', outcome: 'ok' } });
    const object = String(creation?.data['object']);
    expect(object).toContain(`Pod/${namespace}/${clique}-`);
    if (pod !== creation) {
      const name = object.slice(`Pod/${namespace}/`.length);
      expect(pod).toMatchObject({ what: 'observed', data: { kind: 'Pod', name } });
    }
    const edit = facts.at(-1) ?? failing(clique);
    expect(edit).toMatchObject({
      what: 'observed',
      about: { kind: 'podcliqueset', namespace, name: 'demo' },
      data: { kind: 'PodCliqueSet', name: 'demo' },
      cause: '',
    });
    expect(new Set(facts.map(({ trace }) => trace))).toEqual(new Set([edit.id]));
    return edit;
  }

  const failing = (what: string): never => {
    throw new Error(`no fact about ${what}`);
  };

  test.skipIf(natsSkip !== '')('leads back to the edit that made the set', patient, async () => {
    await createSet(place.client, namespace, { name: 'demo', replicas: 2 });
    const edits = new Set<string>();
    for (const clique of ['demo-0-worker', 'demo-1-worker']) {
      for (const facts of await ready(clique)) edits.add(judge(facts, clique).id);
    }
    expect(edits.size).toBe(1);
  });

  test.skipIf(natsSkip !== '')(
    'after a scaling leads back to that, and not to what was before',
    patient,
    async () => {
      await place.onlooker.until('available', () => replicas() === 2, replicas);
      await patchSet(place.client, namespace, 'demo', { spec: { replicas: 3 } });
      const before = heard.find(({ cause }) => cause === '');
      for (const facts of await ready('demo-2-worker')) {
        const edit = judge(facts, 'demo-2-worker');
        expect(edit.id).not.toBe(before?.id);
        expect(edit.at).toBeGreaterThan(before?.at ?? 0);
      }
    },
  );

  test.skipIf(natsSkip !== '')('is in the history, as every other fact is', patient, async () => {
    const { streams } = await jetstreamManager(nats);
    const told = [...heard];
    const stored = await eventually(
      'stored',
      async () => (await streams.info(historyStream)).state,
      ({ messages }) => messages >= told.length,
    );
    const ids = new Set<string>();
    for (let seq = stored.first_seq; seq <= stored.last_seq; seq++) {
      const message = await streams.getMessage(historyStream, { seq });
      const fact = decodeFact(message?.data ?? new Uint8Array());
      if (fact.ok) ids.add(fact.value.id);
    }
    expect(told.filter(({ id }) => !ids.has(id))).toEqual([]);
    expect(told.length).toBeGreaterThan(50);
  });
});
