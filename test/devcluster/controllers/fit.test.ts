// Where a pod fits and the words for why it does not: resources, taints, selectors, affinity.
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import type { Stored } from '#src/devcluster/contract.ts';
import { needsOf, noFitMessage } from '#src/devcluster/controllers/scheduler/fit.ts';
import { NodeBook } from '#src/devcluster/controllers/scheduler/nodes.ts';
import { podRequests } from '#src/devcluster/controllers/scheduler/resources.ts';

const node = (name: string, more: { labels?: JsonObject; spec?: JsonObject } = {}): Stored => ({
  metadata: { name, labels: { 'kubernetes.io/hostname': name, ...more.labels } },
  spec: more.spec ?? {},
  status: { allocatable: { cpu: '4', memory: '8Gi', pods: '3', 'nvidia.com/gpu': '2' } },
});

const pod = (requests: JsonObject = {}, spec: JsonObject = {}): Stored => ({
  metadata: { name: 'p' },
  spec: { containers: [{ name: 'a', resources: { requests } }], ...spec },
});

function book(...nodes: Stored[]): NodeBook {
  const made = new NodeBook();
  for (const each of nodes) made.set(each);
  return made;
}

/** The name of the node, or the message why there is none. */
function place(nodes: NodeBook, object: Stored): string {
  const needs = needsOf(object, podRequests(object));
  const choice = nodes.chooseAll([{ uid: 'u', needs }]);
  nodes.release('u');
  return 'nodes' in choice ? (choice.nodes.get('u') ?? '') : noFitMessage(choice.against);
}

const affinity = (operator: string, values: string[]): JsonObject => ({
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [{ matchExpressions: [{ key: 'rack', operator, values }] }],
      },
    },
  },
});

describe('fitting a pod on a node', () => {
  test('pods spread over equal nodes', () => {
    const nodes = book(node('a'), node('b'), node('c'));
    const placed = ['1', '2', '3'].map((uid) => {
      const name = place(nodes, pod({ cpu: '1' }));
      nodes.charge(uid, name, podRequests(pod({ cpu: '1' })));
      return name;
    });
    expect(placed.toSorted()).toEqual(['a', 'b', 'c']);
  });

  test('a message counts the reasons as a scheduler does', () => {
    const nodes = book(node('a'), node('b'), node('c'));
    expect(place(nodes, pod({ 'nvidia.com/gpu': '3' }))).toBe(
      '0/3 nodes are available: 3 Insufficient nvidia.com/gpu.',
    );
    expect(place(new NodeBook(), pod())).toBe('no nodes available to schedule pods');
  });

  test('a released pod makes room', () => {
    const nodes = book(node('a'));
    const whole = pod({ 'nvidia.com/gpu': '2' });
    nodes.charge('1', 'a', podRequests(whole));
    expect(place(nodes, whole)).toBe('0/1 nodes are available: 1 Insufficient nvidia.com/gpu.');
    nodes.release('1');
    expect(place(nodes, whole)).toBe('a');
  });

  test('a node takes no more pods than it says', () => {
    const nodes = book(node('a'));
    for (const uid of ['1', '2', '3']) nodes.charge(uid, 'a', new Map());
    expect(place(nodes, pod())).toBe('0/1 nodes are available: 1 Too many pods.');
  });

  test('a pod that was counted before its node came is counted', () => {
    const nodes = new NodeBook();
    nodes.charge('1', 'a', podRequests(pod({ 'nvidia.com/gpu': '2' })));
    nodes.set(node('a'));
    expect(place(nodes, pod({ 'nvidia.com/gpu': '1' }))).toContain('Insufficient');
  });

  test('a taint keeps pods away that do not tolerate it', () => {
    const taints = [{ key: 'gpu', value: 'only', effect: 'NoSchedule' }];
    const nodes = book(node('a', { spec: { taints } }));
    expect(place(nodes, pod())).toBe(
      '0/1 nodes are available: 1 node(s) had untolerated taint {gpu: only}.',
    );
    const tolerations = [{ key: 'gpu', operator: 'Equal', value: 'only' }];
    expect(place(nodes, pod({}, { tolerations }))).toBe('a');
    expect(place(nodes, pod({}, { tolerations: [{ operator: 'Exists' }] }))).toBe('a');
  });

  test('a cordoned node takes nothing', () => {
    const nodes = book(node('a', { spec: { unschedulable: true } }));
    expect(place(nodes, pod())).toBe('0/1 nodes are available: 1 node(s) were unschedulable.');
  });

  test.each([
    ['In', ['r1'], 'b'],
    ['NotIn', ['r1'], 'a'],
    ['Exists', [], 'b'],
    ['DoesNotExist', [], 'a'],
  ])('required affinity %s %j picks node %s', (operator, values, name) => {
    const nodes = book(node('a'), node('b', { labels: { rack: 'r1' } }));
    expect(place(nodes, pod({}, affinity(operator, values)))).toBe(name);
  });

  test('a node selector must match', () => {
    const nodes = book(node('a'), node('b', { labels: { zone: 'z' } }));
    expect(place(nodes, pod({}, { nodeSelector: { zone: 'z' } }))).toBe('b');
    expect(place(nodes, pod({}, { nodeSelector: { zone: 'y' } }))).toBe(
      "0/2 nodes are available: 2 node(s) didn't match Pod's node affinity/selector.",
    );
  });

  test('init containers count by their largest, containers by their sum', () => {
    const initContainers = [{ name: 'i', resources: { requests: { cpu: '3' } } }];
    const containers = ['a', 'b'].map((name) => ({ name, resources: { requests: { cpu: '1' } } }));
    expect(podRequests(pod({}, { containers, initContainers })).get('cpu')).toBe(3);
    expect(podRequests(pod({}, { containers })).get('cpu')).toBe(2);
  });
});
