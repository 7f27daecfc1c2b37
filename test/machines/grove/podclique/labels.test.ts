// Labels of pods that somebody took off or changed, and what such pods count for.
import { describe, expect, it } from 'vitest';
import type { Intent } from '#machines/contract/intents.ts';
import { firstNames } from '#machines/grove/objects/pod-names.ts';
import { podClique } from '#machines/grove/podclique/behaviour.ts';
import type { CliqueContext } from '#machines/grove/podclique/context.ts';
import { at } from '#machines/kubernetes/json.ts';
import type { KubeObject } from '#machines/kubernetes/objects.ts';
import { planOf } from '#test/support/plan-of.ts';
import { clique, contextOf, gang, pod } from './sample.ts';

const now = Date.UTC(2026, 0, 1);
const names = firstNames('demo-0-worker', 'clique-uid', 3);

const of = <T extends Intent['type']>(type: T, intents: readonly Intent[]) =>
  intents.filter((intent): intent is Extract<Intent, { type: T }> => intent.type === type);

const created = (context: CliqueContext): readonly KubeObject[] =>
  of('createObject', planOf(podClique, context, now).intents).map((intent) => intent.body);

describe('labels of pods', () => {
  const unmarked = [
    pod({ name: names[0] ?? '', index: 0, isUnmarked: true }),
    pod({ name: names[1] ?? '', index: 1, isUnmarked: true, deleting: true }),
    pod({ name: 'theirs', index: 2, isUnmarked: true, ownerUid: 'another' }),
  ];
  const labels = { 'app.kubernetes.io/managed-by': 'grove-operator' };

  it('puts the label back that somebody took off, also on pods that are going', () => {
    const context = contextOf(clique(), unmarked, { gang: gang(names) });
    expect(of('patchObject', planOf(podClique, context, now).intents)).toMatchObject(
      [names[0], names[1]].map((name) => ({
        ref: { kind: 'Pod', name },
        patch: { metadata: { labels } },
        uid: `uid-${name}`,
      })),
    );
  });

  it('puts the label of the gang back on a pod that the PodGang lists', () => {
    const [first = '', second = ''] = names;
    const strays = [
      { ...pod({ name: first, index: 0 }), gang: 'another' },
      { ...pod({ name: second, index: 1 }), gang: undefined, deleting: true },
      { ...pod({ name: 'unlisted', index: 2 }), gang: undefined },
    ];
    const context = contextOf(clique(), strays, { gang: gang(names) });
    expect(of('patchObject', planOf(podClique, context, now).intents)).toMatchObject([
      { ref: { name: first }, patch: { metadata: { labels: { 'grove.io/podgang': 'demo-0' } } } },
    ]);
  });

  it('counts such a pod: its index gets no second one', () => {
    const context = contextOf(clique(), unmarked, { gang: gang(names) });
    const indices = created(context).map((one) => at(one, 'spec', 'hostname'));
    expect(indices).toEqual(['demo-0-worker-2']);
    expect([...(planOf(podClique, context, now).changes.chosen ?? new Map()).keys()]).toEqual([
      1, 2,
    ]);
  });

  it('goes on while the PodClique is being deleted, since the end of its pods is waited for', () => {
    const going = clique({}, { metadata: { deletionTimestamp: 'now' } });
    const [first] = unmarked;
    const pods = first === undefined ? [] : [first];
    const { intents } = planOf(podClique, contextOf(going, pods), now);
    expect(intents.map(({ type }) => type)).toEqual(['publish', 'deleteObject', 'patchObject']);
  });
});
