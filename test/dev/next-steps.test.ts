// How to go on, as commands that can be pasted: what is common once, and what each module adds.
import { describe, expect, test } from 'vitest';
import { nextSteps } from '#src/dev/next-steps.ts';
import type { NextSteps } from '#src/modules/edge.ts';

const inspector = 'http://i/ui/#token=t';
const given = { kubeconfig: '/tmp/k', api: 'https://x', nats: undefined, http: 'http://h' };
const places = { ...given, inspector };
const ofSet: NextSteps = {
  kubectl: ['kubectl get pcs'],
  about: { kind: 'podcliqueset', namespace: 'ml', name: 'demo.v2' },
};
const ofPool: NextSteps = {
  kubectl: ['kubectl get swp'],
  about: { kind: 'sandboxwarmpool', namespace: 'ml', name: 'warm' },
};

describe('next steps', () => {
  const said = (steps: readonly NextSteps[], more = {}): string =>
    nextSteps({ ...places, ...more }, steps).join('\n');

  test('leave NATS out where it is off', () => {
    expect(said([ofSet])).not.toContain('micro ls');
    expect(said([ofSet], { nats: 'nats://n' })).toContain('nats --server nats://n');
  });

  test('escape what a subject or a shell would take for something else', () => {
    const text = said([ofSet], { nats: 'nats://n', kubeconfig: "/tmp/it's here/k" });
    expect(text).toContain("coppice.ask.podcliqueset.ml.demo%2Ev2.why '{}'");
    expect(text).toContain(`export KUBECONFIG='/tmp/it'\\''s here/k'`);
  });

  test('ask nobody where nothing was applied', () => {
    expect(
      said([{ kubectl: ['kubectl get pcs -A'], about: undefined }], { nats: 'n' }),
    ).not.toMatch(/coppice\.ask/);
  });

  test('of several modules say the common part once', () => {
    expect(nextSteps({ ...places, nats: 'n' }, [ofSet, ofPool])).toEqual([
      'Open the inspector (the link works once): http://i/ui/#token=t',
      'Look at the cluster:',
      '  export KUBECONFIG=/tmp/k',
      '  kubectl get pcs',
      '  kubectl get swp',
      'Follow every event:',
      "  nats --server n sub 'coppice.>'",
      "  nats --server n req coppice.ask.podcliqueset.ml.demo%2Ev2.why '{}'",
      "  nats --server n req coppice.ask.sandboxwarmpool.ml.warm.why '{}'",
      '  nats --server n micro ls',
      'Look into the controller:',
      '  curl http://h/actors',
      '  curl http://h/metrics',
    ]);
  });
});
