// The rules of the built-in kinds that hold a pod template: Deployments and DaemonSets.
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import type { Stored } from '#src/devcluster/contract.ts';
import { complaints, created, specOf, strategyOf } from './support.ts';

const of = (fields: JsonObject): Stored => ({
  ...fields,
  metadata: { name: 'one', namespace: 'default' },
});
const template = {
  metadata: { labels: { a: 'b' } },
  spec: { containers: [{ name: 'x', image: 'y' }] },
};
const selector = { matchLabels: { a: 'b' } };

describe('deployments', () => {
  test('a deployment and its template are defaulted', () => {
    expect(created('apps/deployments', of({ spec: { selector, template } }))).toMatchObject({
      spec: {
        replicas: 1,
        strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%' } },
        template: { spec: { restartPolicy: 'Always', dnsPolicy: 'ClusterFirst' } },
      },
    });
  });

  test('a selector matches the template', () => {
    const spec = { selector: { matchLabels: { a: 'c' } }, template };
    expect(complaints('apps/deployments', of({ spec }))).toEqual([
      'spec.template.metadata.labels: `selector` does not match template `labels`',
    ]);
  });
});

describe('daemon sets', () => {
  const set = of({ spec: { selector, template } });
  const generation = 'deprecated.daemonset.template.generation';

  test('the number of the template is counted by the server alone', () => {
    const old = created('apps/daemonsets', set);
    expect(old.metadata['annotations']).toEqual({ [generation]: '1' });
    const update = (change: (copy: Stored) => void): unknown => {
      const copy = structuredClone(old);
      change(copy);
      strategyOf('apps/daemonsets').prepareUpdate?.(copy, old, '');
      return copy.metadata['annotations'];
    };
    const claims = { [generation]: '9' };
    expect(update((copy) => (copy.metadata['annotations'] = claims))).toEqual({
      [generation]: '1',
    });
    const next = { ...template, metadata: { labels: { a: 'b', c: 'd' } } };
    expect(update((copy) => (specOf(copy)['template'] = next))).toEqual({ [generation]: '2' });
  });

  test('an update strategy either lacks pods or has more, and is known', () => {
    const strategies = [
      { type: 'Recreate' },
      { rollingUpdate: { maxUnavailable: 0 } },
      { rollingUpdate: { maxUnavailable: '10%', maxSurge: 1 } },
      { type: 'OnDelete' },
    ];
    const found = strategies.map((updateStrategy) =>
      complaints('apps/daemonsets', of({ spec: { ...specOf(set), updateStrategy } })),
    );
    const at = 'spec.updateStrategy';
    expect(found).toEqual([
      [`${at}: supported values: "RollingUpdate", "OnDelete"`],
      [`${at}.rollingUpdate.maxUnavailable: cannot be 0 when maxSurge is 0`],
      [`${at}.rollingUpdate.maxSurge: may not be set when maxUnavailable is non-zero`],
      [],
    ]);
  });
});
