// Checks: DaemonSets - what is filled in and refused, and a pod of the right form on each node that
// the template fits, as nodes, labels and taints come and go.
import { expect } from 'vitest';
import { objectAt, textAt, textsAt } from '#machines/kubernetes/fields.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { expectRefusal, metaOf, specOf, uidOf } from '../session.ts';
import type { Suite } from '../session.ts';
import {
  alive,
  at,
  labels,
  makeSet,
  node,
  nodes,
  only,
  onNodes,
  runsOn,
  saysStatus,
  sets,
  template,
} from './stage.ts';

export const daemonPlaces: Suite = {
  'a daemon set gets the defaults that clients rely on': (s) =>
    onNodes(s, [], async () => {
      const made = await makeSet(s);
      expect(specOf(made)).toMatchObject({
        revisionHistoryLimit: 10,
        updateStrategy: {
          type: 'RollingUpdate',
          rollingUpdate: { maxUnavailable: 1, maxSurge: 0 },
        },
      });
      expect(made['status']).toEqual({
        currentNumberScheduled: 0,
        desiredNumberScheduled: 0,
        numberMisscheduled: 0,
        numberReady: 0,
      });
      const annotations = { 'deprecated.daemonset.template.generation': '1' };
      expect(metaOf(made)).toMatchObject({ generation: 1, annotations });
    }),

  async 'a daemon set whose pods may end is invalid'(s) {
    const spec = {
      selector: { matchLabels: labels },
      template: template(s, { restartPolicy: 'Never' }),
    };
    const answer = await s.send('POST', sets(s), { metadata: { name: 'd' }, spec });
    expectRefusal(answer, 422, 'Invalid', 'spec.template.spec.restartPolicy');
  },

  async 'a daemon set that selects all pods is invalid'(s) {
    const spec = { selector: {}, template: template(s) };
    const answer = await s.send('POST', sets(s), { metadata: { name: 'd' }, spec });
    expectRefusal(answer, 422, 'Invalid', 'empty selector is invalid for daemonset');
  },

  async 'a daemon set that may neither lack a pod nor have one more is invalid'(s) {
    const rollingUpdate = { maxUnavailable: 0 };
    const spec = {
      selector: { matchLabels: labels },
      template: template(s),
      updateStrategy: { type: 'RollingUpdate', rollingUpdate },
    };
    const answer = await s.send('POST', sets(s), { metadata: { name: 'd' }, spec });
    expectRefusal(answer, 422, 'Invalid', 'cannot be 0 when maxSurge is 0');
  },

  'each node gets one pod, and the status counts them': (s) =>
    onNodes(s, ['a', 'b', 'c'], async () => {
      await makeSet(s);
      await runsOn(s, 'a b c');
      await saysStatus(s, {
        currentNumberScheduled: 3,
        desiredNumberScheduled: 3,
        numberAvailable: 3,
        numberMisscheduled: 0,
        numberReady: 3,
        numberUnavailable: 0,
        observedGeneration: 1,
        updatedNumberScheduled: 3,
      });
      const addresses = (await alive(s)).map((each) => textAt(objectAt(each, 'status'), 'podIP'));
      expect(new Set(addresses).size).toBe(3);
    }),

  'a pod is tied to its node by the name, and belongs to the set': (s) =>
    onNodes(s, ['a'], async () => {
      const set = await makeSet(s);
      await runsOn(s, 'a');
      const made = await only(s);
      const name = `${s.namespace}-a`;
      const matchFields = [{ key: 'metadata.name', operator: 'In', values: [name] }];
      expect(specOf(made)['affinity']).toEqual({
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchFields }] },
        },
      });
      expect(metaOf(made)['generateName']).toBe('d-');
      expect(textAt(metaOf(made), 'name')).toMatch(/^d-[a-z0-9]{5}$/);
      expect(metaOf(made)['ownerReferences']).toEqual([
        {
          apiVersion: 'apps/v1',
          kind: 'DaemonSet',
          name: 'd',
          uid: uidOf(set),
          controller: true,
          blockOwnerDeletion: true,
        },
      ]);
      const { 'controller-revision-hash': hash, ...others } = textsAt(metaOf(made), 'labels');
      expect(hash).toMatch(/^[a-z0-9]{5,11}$/);
      expect(others).toEqual({ app: 'd', 'pod-template-generation': '1' });
    }),

  'a pod tolerates what ails its node, beside what the template tolerates': (s) =>
    onNodes(s, ['a'], async () => {
      const spec = { hostNetwork: true };
      await makeSet(s, { template: template(s, spec) });
      await runsOn(s, 'a');
      const taint = (name: string, effect: string): JsonObject => ({
        key: `node.kubernetes.io/${name}`,
        operator: 'Exists',
        effect,
      });
      expect(specOf(await only(s))['tolerations']).toEqual([
        { key: 'check', operator: 'Exists' },
        taint('not-ready', 'NoExecute'),
        taint('unreachable', 'NoExecute'),
        taint('disk-pressure', 'NoSchedule'),
        taint('memory-pressure', 'NoSchedule'),
        taint('pid-pressure', 'NoSchedule'),
        taint('unschedulable', 'NoSchedule'),
        taint('network-unavailable', 'NoSchedule'),
      ]);
    }),

  'a node that comes gets a pod': (s) =>
    onNodes(s, ['a'], async () => {
      await makeSet(s);
      await runsOn(s, 'a');
      await s.create(nodes, node(s, 'b'));
      await runsOn(s, 'a b');
    }),

  'a node gets its pod with its label, and loses it with it': (s) =>
    onNodes(s, ['a', 'b'], async () => {
      const nodeSelector = { check: s.namespace, role: 'gpu' };
      await makeSet(s, { template: template(s, { nodeSelector }) });
      await saysStatus(s, { observedGeneration: 1, desiredNumberScheduled: 0 });
      await s.patch(at(s, 'b'), 'strategic', { metadata: { labels: { role: 'gpu' } } });
      await runsOn(s, 'b');
      await s.patch(at(s, 'a'), 'merge', { metadata: { labels: { role: 'gpu' } } });
      await runsOn(s, 'a b');
      await s.patch(at(s, 'b'), 'merge', { metadata: { labels: { role: null } } });
      await runsOn(s, 'a');
      await saysStatus(s, { desiredNumberScheduled: 1, numberMisscheduled: 0, numberReady: 1 });
    }),

  'required node affinity chooses the nodes': (s) =>
    onNodes(s, ['a', 'b', 'c'], async () => {
      await s.patch(at(s, 'a'), 'merge', { metadata: { labels: { rack: '1' } } });
      await s.patch(at(s, 'b'), 'merge', { metadata: { labels: { rack: '2' } } });
      const matchExpressions = [{ key: 'rack', operator: 'In', values: ['2', '3'] }];
      const values = [`${s.namespace}-c`];
      const matchFields = [{ key: 'metadata.name', operator: 'In', values }];
      const nodeSelectorTerms = [{ matchExpressions }, { matchFields }];
      const required = { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } };
      await makeSet(s, { template: template(s, { affinity: { nodeAffinity: required } }) });
      await runsOn(s, 'b c');
    }),

  'a taint keeps pods away, and drives one away only with NoExecute': (s) =>
    onNodes(s, ['a', 'b'], async () => {
      const own = { key: 'check', value: s.namespace, effect: 'NoSchedule' };
      const taint = (name: string, ...effects: string[]) =>
        s.patch(at(s, name), 'merge', {
          spec: { taints: [own, ...effects.map((effect) => ({ key: 'x.io/y', effect }))] },
        });
      await taint('b', 'NoSchedule');
      await makeSet(s);
      await runsOn(s, 'a');
      await taint('a', 'NoSchedule');
      await taint('b');
      await runsOn(s, 'a b');
      await saysStatus(s, { desiredNumberScheduled: 1, numberMisscheduled: 1 });
      await taint('a', 'NoSchedule', 'NoExecute');
      await runsOn(s, 'b');
    }),

  'a closed node keeps its pod, and gets one': (s) =>
    onNodes(s, ['a', 'b'], async () => {
      await s.patch(at(s, 'a'), 'merge', { spec: { unschedulable: true } });
      await makeSet(s);
      await runsOn(s, 'a b');
      await s.patch(at(s, 'b'), 'merge', { spec: { unschedulable: true } });
      await saysStatus(s, { desiredNumberScheduled: 2, numberReady: 2 });
    }),
};
