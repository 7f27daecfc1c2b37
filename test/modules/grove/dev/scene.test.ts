// What `coppice dev` shows: counts from observations, a picture that fits, commands to paste.
import { describe, expect, test } from 'vitest';
import type { Observation } from '#actors/ports.ts';
import type { Kind } from '#machines/kinds.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { Scene } from '#src/modules/grove/dev/scene.ts';
import { nextSteps, paint, summary } from '#src/modules/grove/dev/view.ts';

const seen = (
  kind: Kind,
  name: string,
  fields: JsonObject,
  labels: Record<string, string> = {},
): Observation => ({
  type: 'seen',
  kind,
  object: {
    apiVersion: 'v1',
    kind,
    metadata: { name, namespace: 'default', uid: name, labels, ownerReferences: [owner] },
    ...fields,
  },
});
const owner = {
  apiVersion: 'grove.io/v1alpha1',
  kind: 'PodCliqueSet',
  name: 'demo',
  uid: 'u',
  controller: true,
};
const partOf = { 'app.kubernetes.io/part-of': 'demo', 'grove.io/podclique': 'demo-0-w' };
const ready = { status: { conditions: [{ type: 'Ready', status: 'True' }] } };

function scene(): Scene {
  const made = new Scene();
  const template = { cliques: [{ name: 'w', spec: { replicas: 2 } }] };
  made.observe(
    seen('PodCliqueSet', 'demo', {
      spec: { replicas: 1, template },
      status: { availableReplicas: 0 },
    }),
  );
  made.observe(
    seen('PodGang', 'demo-0', {
      spec: {
        podgroups: [
          { name: 'demo-0-w', podReferences: [{ name: 'demo-0-w-a' }, { name: 'demo-0-w-b' }] },
        ],
      },
      status: { conditions: [{ type: 'Initialized', status: 'True' }] },
    }),
  );
  made.observe(seen('Pod', 'demo-0-w-a', ready, partOf));
  made.observe(seen('Pod', 'demo-0-w-b', {}, partOf));
  return made;
}

describe('Scene', () => {
  test('a set counts its gangs and pods', () => {
    expect(scene().sets()[0]).toMatchObject({
      key: 'default/demo',
      pods: { wanted: 2, seen: 2, ready: 1 },
      gangs: [{ name: 'demo-0', initialized: true, listed: 2, ready: 1 }],
      done: false,
    });
  });

  test('a set with a scaling group wants the pods of every group replica', () => {
    const made = scene();
    const template = {
      cliques: [
        { name: 'w', spec: { replicas: 2 } },
        { name: 'm', spec: { replicas: 3 } },
      ],
      podCliqueScalingGroups: [{ name: 'g', cliqueNames: ['m'], replicas: 4 }],
    };
    made.observe(seen('PodCliqueSet', 'demo', { spec: { replicas: 2, template } }));
    const lastErrors = [{ description: 'no member fits' }];
    made.observe(seen('PodCliqueScalingGroup', 'demo-0-g', { status: { lastErrors } }, partOf));
    expect(made.sets()[0]).toMatchObject({
      pods: { wanted: 2 * (2 + 3 * 4) },
      trouble: ['PodCliqueScalingGroup demo-0-g: no member fits'],
    });
  });

  test('a set is done when all replicas, gangs and pods are', () => {
    const made = scene();
    made.observe(seen('Pod', 'demo-0-w-b', ready, partOf));
    const template = { cliques: [{ name: 'w', spec: { replicas: 2 } }] };
    made.observe(
      seen('PodCliqueSet', 'demo', {
        spec: { replicas: 1, template },
        status: { availableReplicas: 1 },
      }),
    );
    expect(made.sets()[0]?.done).toBe(true);
  });

  test('an object that is gone is no longer counted', () => {
    const made = scene();
    made.observe({
      type: 'gone',
      ref: { kind: 'Pod', namespace: 'default', name: 'demo-0-w-b' },
      uid: 'x',
    });
    expect(made.sets()[0]?.pods.seen).toBe(1);
  });

  test('errors and parked actors are shown as trouble', () => {
    const made = scene();
    made.observe(
      seen(
        'PodClique',
        'demo-0-w',
        {
          status: {
            lastErrors: [{ code: 'ERR_CREATE_POD', description: 'quota exceeded' }],
            conditions: [{ type: 'Parked', status: 'True', message: 'too many restarts' }],
          },
        },
        partOf,
      ),
    );
    expect(made.sets()[0]?.trouble).toEqual([
      'PodClique demo-0-w: parked: too many restarts',
      'PodClique demo-0-w: quota exceeded',
    ]);
  });
});

describe('view', () => {
  test('the picture never exceeds the terminal', () => {
    for (const rows of [1, 3, 8, 40]) {
      const lines = paint(scene().sets(), scene().pods(), { rows, columns: 40, seconds: 1 });
      expect(lines.length).toBeLessThanOrEqual(rows);
      expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(40);
    }
  });

  test('the summary is one line', () => {
    const [set] = scene().sets();
    expect(set && summary(set)).toBe(
      'default/demo: 0/1 replicas available, 0/1 gangs up, 1/2 pods ready',
    );
  });

  describe('next steps', () => {
    const inspector = 'http://i/ui/#token=t';
    const given = { kubeconfig: '/tmp/k', api: 'https://x', nats: undefined, http: 'http://h' };
    const places = { ...given, inspector };
    const steps = (set?: string, more = {}): string =>
      nextSteps({ ...places, ...more }, set).join('\n');

    test('begin with the link of the inspector', () => {
      expect(steps().split('\n')[0]).toMatch(/http:\/\/i\/ui\/#token=t$/);
    });

    test('leave NATS out where it is off', () => {
      expect(steps('default/demo')).not.toContain('micro ls');
      expect(steps('default/demo', { nats: 'nats://n' })).toContain('nats --server nats://n');
    });

    test('escape what a subject or a shell would take for something else', () => {
      const said = steps('ml/demo.v2', { nats: 'nats://n', kubeconfig: "/tmp/it's here/k" });
      expect(said).toContain("coppice.ask.podcliqueset.ml.demo%2Ev2.why '{}'");
      expect(said).toContain(`export KUBECONFIG='/tmp/it'\\''s here/k'`);
      expect(said).toContain('get pcs,pclq,pg,pods --namespace ml');
    });

    test('speak of all namespaces, and of no set, where none was applied', () => {
      expect(steps(undefined, { nats: 'nats://n' })).not.toMatch(/scale|coppice\.ask/);
      expect(steps()).toContain('get pcs,pclq,pg,pods -A');
    });
  });
});
