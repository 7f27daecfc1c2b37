// The pod that a PodClique creates: labels, environment, host name, start-up container (spec
// controllers 1.3.4, 6.2).
import { describe, expect, it } from 'vitest';
import { firstNames } from '#machines/grove/objects/pod-names.ts';
import { podClique } from '#machines/grove/podclique/behaviour.ts';
import type { CliqueContext } from '#machines/grove/podclique/context.ts';
import { at, list } from '#machines/kubernetes/json.ts';
import type { KubeObject } from '#machines/kubernetes/objects.ts';
import { planOf } from '#test/support/plan-of.ts';
import { clique, contextOf, gang } from './sample.ts';

const now = Date.UTC(2026, 0, 1);
const names = firstNames('demo-0-worker', 'clique-uid', 3);

const created = (context: CliqueContext): readonly KubeObject[] =>
  planOf(podClique, context, now).intents.flatMap((intent) =>
    intent.type === 'createObject' ? [intent.body] : [],
  );

describe('a new pod', () => {
  it('gives the pod what spec controllers 1.3.4 says, and leaves the template alone (10.1 rules 7, 8, 51)', () => {
    const env = [
      { name: 'GROVE_PCS_NAME', value: 'mine' },
      { name: 'USER', value: '$(GROVE_PCLQ_NAME)' },
    ];
    const podSpec = {
      containers: [{ name: 'main', env }],
      initContainers: [{ name: 'init' }],
      schedulingGates: [{ name: 'other' }],
      volumes: [{ name: 'v' }],
    };
    const before = JSON.stringify(podSpec);
    const observed = clique({ podSpec, startsAfter: ['demo-0-first'], replicas: 1 });
    const [body] = created(contextOf(observed, [], { gang: gang(names) }));
    expect(JSON.stringify(podSpec)).toBe(before);
    expect(body?.metadata).toMatchObject({
      labels: {
        'app.kubernetes.io/managed-by': 'grove-operator',
        'app.kubernetes.io/part-of': 'demo',
        'grove.io/podclique': 'demo-0-worker',
        'grove.io/podclique-pod-index': '0',
        'grove.io/podgang': 'demo-0',
        'grove.io/pod-template-hash': 'new',
        role: 'worker',
      },
      annotations: { note: 'x' },
      ownerReferences: [{ kind: 'PodClique', uid: 'clique-uid', controller: true }],
    });
    expect(body?.metadata.annotations).toEqual({ note: 'x' });
    expect(body?.['spec']).toMatchObject({
      hostname: 'demo-0-worker-0',
      subdomain: 'demo-0',
      schedulerName: 'default-scheduler',
      restartPolicy: 'Always',
      terminationGracePeriodSeconds: 30,
    });
    expect(at(body, 'spec', 'schedulingGates')).toBeUndefined();
    const [main] = list(at(body, 'spec', 'containers'));
    expect(list(at(main, 'env')).map((entry) => at(entry, 'name'))).toEqual([
      'GROVE_PCS_NAME',
      'GROVE_PCS_INDEX',
      'GROVE_PCLQ_NAME',
      'GROVE_HEADLESS_SERVICE',
      'GROVE_PCLQ_POD_INDEX',
      'USER',
    ]);
    const inits = list(at(body, 'spec', 'initContainers'));
    expect(inits.map((one) => at(one, 'name'))).toEqual(['init', 'grove-initc']);
    expect(at(inits[1], 'args')).toEqual(['--podcliques=demo-0-first:4']);
    expect(at(inits[1], 'env')).toBeUndefined();
    expect(list(at(body, 'spec', 'volumes')).map((one) => at(one, 'name'))).toEqual([
      'v',
      'sa-token-secret-vol',
      'pod-info-vol',
    ]);
  });
});

describe('a pod of a scaling group that starts after others', () => {
  const env = [
    { name: 'GROVE_PCSG_NAME', value: 'x' },
    { name: 'GROVE_PCSG_TEMPLATE_NUM_PODS', value: '4' },
    { name: 'GROVE_PCSG_INDEX', value: '1' },
    { name: 'USER', value: 'y' },
  ];
  const labels = {
    ...clique().labels,
    'grove.io/podcliquescalinggroup': 'demo-0-x',
    'grove.io/podcliquescalinggroup-replica-index': '1',
  };
  const observed = clique(
    {
      podSpec: { containers: [{ name: 'main', env }], serviceAccountName: 'mine' },
      startsAfter: ['demo-0-first'],
    },
    { metadata: { labels } },
  );
  const [body] = created(contextOf(observed, [], { gang: gang(names) }));

  it('has the labels of its PodClique, and their variables after ours and before the user`s', () => {
    expect(body?.metadata.labels).toMatchObject({
      'grove.io/podcliquescalinggroup': 'demo-0-x',
      'grove.io/podcliquescalinggroup-replica-index': '1',
    });
    const [main] = list(at(body, 'spec', 'containers'));
    expect(list(at(main, 'env')).map((entry) => at(entry, 'name'))).toEqual([
      'GROVE_PCS_NAME',
      'GROVE_PCS_INDEX',
      'GROVE_PCLQ_NAME',
      'GROVE_HEADLESS_SERVICE',
      'GROVE_PCLQ_POD_INDEX',
      ...env.map((entry) => entry.name),
    ]);
  });

  it('keeps the user`s service account: the init container has a token of its own (10.1 rule 47)', () => {
    expect(at(body, 'spec', 'serviceAccountName')).toBe('mine');
    expect(list(at(body, 'spec', 'initContainers'))).toMatchObject([
      {
        name: 'grove-initc',
        volumeMounts: [
          { name: 'pod-info-vol', mountPath: '/var/grove/pod-info', readOnly: true },
          {
            name: 'sa-token-secret-vol',
            mountPath: '/var/run/secrets/kubernetes.io/serviceaccount',
            readOnly: true,
          },
        ],
      },
    ]);
    expect(list(at(body, 'spec', 'volumes'))).toMatchObject([
      { name: 'sa-token-secret-vol', secret: { secretName: 'demo-ic-sat', defaultMode: 420 } },
      {
        name: 'pod-info-vol',
        downwardAPI: { items: [{ path: 'namespace' }, { path: 'podgangname' }] },
      },
    ]);
  });
});
