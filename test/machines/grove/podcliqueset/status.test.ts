// The status of a PodCliqueSet: sums, when a generation is observed, urgency, Grove's error codes.
import { describe, expect, it } from 'vitest';
import { refKey } from '#machines/contract/address.ts';
import type { Intent } from '#machines/contract/intents.ts';
import { podCliqueSet } from '#machines/grove/podcliqueset/behaviour.ts';
import { at, list } from '#machines/kubernetes/json.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { whyOf } from '#test/support/plan-of.ts';
import { cliqueSet } from '#test/support/samples.ts';
import { kindOf } from '#test/support/world-store.ts';
import { now, SetBench } from './sample.ts';

const statusIn = (intents: readonly Intent[]) => {
  const write = intents.find((intent) => intent.type === 'writeStatus');
  if (write?.type !== 'writeStatus') throw new Error('no status');
  return write;
};

const reach = (bench: SetBench, name: string, more: JsonObject = {}): void => {
  const clique = bench.objects.get(`PodClique/demo/${name}`);
  bench.change('PodClique', name, {
    status: {
      readyReplicas: 2,
      updatedReplicas: 2,
      currentPodTemplateHash: String(clique?.metadata.labels?.['grove.io/pod-template-hash']),
      currentPodCliqueSetGenerationHash: String(
        clique?.metadata.annotations?.['grove.io/podcliqueset-generation-hash'],
      ),
      ...more,
    },
  });
};

function deployed(): SetBench {
  const bench = new SetBench();
  bench.see(cliqueSet(2));
  for (let round = 0; round < 4; round++) bench.work();
  return bench;
}

describe('the status of a PodCliqueSet', () => {
  it('counts available and updated replicas', () => {
    const bench = deployed();
    reach(bench, 'demo-0-worker');
    reach(bench, 'demo-1-worker', { currentPodTemplateHash: 'old' });
    expect(statusIn(bench.stabilize()).status).toMatchObject({
      replicas: 2,
      availableReplicas: 2,
      updatedReplicas: 1,
      hpaPodSelector: 'app.kubernetes.io/managed-by=grove-operator,app.kubernetes.io/part-of=demo',
    });
  });

  it.each(['currentPodTemplateHash', 'currentPodCliqueSetGenerationHash'])(
    'counts no replica as updated whose PodClique says another %s',
    (field) => {
      const bench = deployed();
      reach(bench, 'demo-0-worker', { [field]: 'old' });
      expect(statusIn(bench.stabilize()).status['updatedReplicas']).toBe(0);
    },
  );

  it('does not count a replica whose PodClique is going or below its minimum', () => {
    const bench = deployed();
    reach(bench, 'demo-0-worker', { readyReplicas: 1 });
    reach(bench, 'demo-1-worker');
    bench.change('PodClique', 'demo-1-worker', { metadata: { deletionTimestamp: 'x' } });
    expect(statusIn(bench.stabilize()).status['availableReplicas']).toBe(0);
  });

  it('observes a generation when all children are as it asks, pods or no pods', () => {
    const bench = new SetBench();
    bench.see(cliqueSet(2));
    expect(statusIn(bench.work()).status['observedGeneration']).toBeUndefined();
    expect(statusIn(bench.work()).status['observedGeneration']).toBeUndefined();
    expect(statusIn(bench.work()).status['observedGeneration']).toBe(1);
  });

  it('is urgent when availability reaches or leaves what is wanted, else lazy', () => {
    const bench = deployed();
    reach(bench, 'demo-0-worker');
    expect(statusIn(bench.work()).urgency).toBe('lazy');
    reach(bench, 'demo-1-worker');
    expect(statusIn(bench.work()).urgency).toBe('now');
    reach(bench, 'demo-1-worker', { readyReplicas: 0 });
    expect(statusIn(bench.work()).urgency).toBe('now');
  });

  it('keeps what it does not know, and updateProgress, untouched', () => {
    const bench = deployed();
    const updateProgress = { updateStartedAt: 'x', unknown: 1 };
    bench.change('PodCliqueSet', 'demo', { status: { updateProgress, other: true } });
    expect(statusIn(bench.stabilize()).status).toMatchObject({ updateProgress, other: true });
  });

  it('has an entry for a refused write until one succeeds (10.2 gap 13)', () => {
    const bench = deployed();
    const ref = { kind: 'PodClique', namespace: 'demo', name: 'demo-1-worker' } as const;
    bench.lose('PodClique', ref.name);
    const failure = {
      op: 'create',
      ref,
      code: 'FORBIDDEN',
      message: 'quota',
      retryAt: null,
    } as const;
    bench.send({ type: 'effect.failed', ...failure, now });
    const write = statusIn(bench.stabilize());
    expect(list(write.status['lastErrors']).map((error) => at(error, 'code'))).toEqual([
      'ERR_CREATE_OR_UPDATE_PODCLIQUE',
    ]);
    expect(whyOf(podCliqueSet, bench.context, now)[0]).toBe(
      'PodClique demo-1-worker: create refused (FORBIDDEN): quota; check RBAC, quota and webhooks: it is tried again now and then',
    );
    bench.send({ type: 'effect.done', op: 'create', ref });
    expect(statusIn(bench.stabilize()).status['lastErrors']).toBeUndefined();
  });

  it.each(['PodClique demo-0-worker', 'ServiceAccount demo'])(
    'forget what failed to create %s once it is seen, before or after',
    (which) => {
      const bench = deployed();
      const [kind = '', name = ''] = which.split(' ');
      const ref = { kind: kindOf({ kind }), namespace: 'demo', name };
      const failed = {
        type: 'effect.failed',
        op: 'create',
        ref,
        code: 'SERVER_ERROR',
        message: 'no answer from etcd',
        now,
        retryAt: now + 1,
      } as const;
      bench.send(failed);
      expect(bench.context.errors).toEqual([]);
      const body = bench.objects.get(refKey(ref));
      bench.lose(kind, name);
      bench.send(failed);
      expect(bench.context.errors).toHaveLength(1);
      if (body !== undefined) bench.see(body);
      expect(bench.context.errors).toEqual([]);
    },
  );

  it('forgets a refused creation when the child shows up, and any failure when it is gone', () => {
    const bench = deployed();
    const failure = { code: 'FORBIDDEN', message: 'no', retryAt: null, now } as const;
    const ref = { kind: 'Service', namespace: 'demo', name: 'demo-1' } as const;
    bench.send({ type: 'effect.failed', op: 'delete', ref, ...failure });
    bench.change('Service', 'demo-1', { metadata: { labels: { a: 'b' } } });
    expect(bench.context.errors).toHaveLength(1);
    bench.lose('Service', 'demo-1');
    expect(bench.context.errors).toEqual([]);
    bench.send({ type: 'effect.failed', op: 'create', ref, ...failure });
    bench.work();
    expect(bench.context.errors).toEqual([]);
  });

  it('forgets a refused creation that a scale-in has overtaken', () => {
    const bench = deployed();
    const failure = { code: 'ALREADY_EXISTS', message: 'no', retryAt: null, now } as const;
    const failed = (name: string): void => {
      const ref = { kind: 'Service', namespace: 'demo', name } as const;
      bench.lose('Service', name);
      bench.send({ type: 'effect.failed', op: 'create', ref, ...failure });
    };
    failed('demo-1');
    expect(bench.context.errors).toHaveLength(1);
    failed('demo-7');
    expect(bench.context.errors.map(({ ref }) => ref.name)).toEqual(['demo-1']);
  });
});

describe('why', () => {
  it('says which PodCliques a replica waits for', () => {
    const bench = deployed();
    reach(bench, 'demo-0-worker');
    bench.stabilize();
    expect(whyOf(podCliqueSet, bench.context, now)).toEqual([
      'PodClique demo-1-worker: 0 of at least 2 pods ready, 0 scheduled',
    ]);
    reach(bench, 'demo-1-worker');
    bench.stabilize();
    expect(whyOf(podCliqueSet, bench.context, now)).toEqual([
      '2 of 2 replicas are available; nothing is waited for',
    ]);
  });

  it('names the replicas whose PodGangs do not show yet what the template wants', () => {
    const bench = deployed();
    for (const name of ['demo-0-worker', 'demo-1-worker']) reach(bench, name);
    bench.change('PodCliqueSet', 'demo', {
      metadata: { generation: 2 },
      spec: { template: { priorityClassName: 'urgent' } },
    });
    bench.stabilize();
    expect(whyOf(podCliqueSet, bench.context, now)).toEqual(
      expect.arrayContaining([
        'waiting for the PodGangs of replica 0 to be as the template wants them',
        'waiting for the PodGangs of replica 1 to be as the template wants them',
      ]),
    );
  });
});
