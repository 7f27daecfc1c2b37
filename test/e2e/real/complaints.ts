// Holds what stands in a namespace against what the specification says a PodCliqueSet looks like
// when it is ready (controllers 0.1-0.3, 1.1.5, 1.3.4, 2, 3.2). Called by stage.ts until there is
// nothing left to complain about.
import type { KubeObject } from './kube.ts';
import { cliquesOf, indices, type SetWanted } from './sets.ts';
import type { Snapshot } from './snapshot.ts';
import { complainAboutPods } from './pod-complaints.ts';
import { fields, Findings, names } from './findings.ts';

/** Sentences, empty when all is as wanted. */
export function complaints(seen: Snapshot, wanted: SetWanted): readonly string[] {
  const found = new Findings();
  const set = seen.podcliquesets.find(({ metadata }) => metadata.name === wanted.name);
  if (set === undefined) return [`no PodCliqueSet ${wanted.name}`];
  complainAboutSet(found, set, wanted);
  complainAboutCliques(found, seen, wanted, set);
  complainAboutPods(found, seen, wanted);
  complainAboutGangs(found, seen, wanted, set);
  complainAboutServices(found, seen, wanted, set);
  complainAboutAccess(found, seen, wanted, set);
  return found.all;
}

const selector = (set: string): string =>
  `app.kubernetes.io/managed-by=grove-operator,app.kubernetes.io/part-of=${set}`;

function complainAboutSet(found: Findings, set: KubeObject, { name, replicas }: SetWanted): void {
  found.equal('finalizers of the set', set.metadata.finalizers, ['grove.io/podcliqueset.grove.io']);
  found.equal('spec.replicas of the set', fields(set['spec'])['replicas'], replicas);
  const { currentGenerationHash, updateProgress, conditions: _, ...status } = fields(set['status']);
  const ended = updateProgress === undefined ? 'none' : fields(updateProgress)['updateEndedAt'];
  found.equal('whether an update runs', ended === undefined, false);
  found.condition(set, 'Ready', 'True', 'ReplicasReady');
  found.equal('status of the set', status, {
    observedGeneration: set.metadata.generation,
    replicas,
    updatedReplicas: replicas,
    availableReplicas: replicas,
    hpaPodSelector: selector(name),
  });
  found.matches('currentGenerationHash of the set', currentGenerationHash, /^[a-z0-9]+$/);
}

function complainAboutCliques(
  found: Findings,
  { podcliques }: Snapshot,
  wanted: SetWanted,
  set: KubeObject,
): void {
  const expected = cliquesOf(wanted);
  found.equal('PodCliques', names(podcliques), expected.map(({ name }) => name).toSorted());
  for (const { replica, name, pods, clique } of expected) {
    const object = podcliques.find(({ metadata }) => metadata.name === name);
    if (object === undefined) continue;
    const { 'grove.io/pod-template-hash': hash, ...labels } = object.metadata.labels ?? {};
    found.matches(`template hash of ${name}`, hash, /^[a-z0-9]+$/);
    found.equal(`labels of ${name}`, labels, {
      ...clique.labels,
      ...base(wanted.name, name, 'pcs-podclique'),
      'grove.io/podcliqueset-replica-index': String(replica),
      'grove.io/podgang': `${wanted.name}-${replica}`,
    });
    found.equal(`finalizers of ${name}`, object.metadata.finalizers, [
      'grove.io/podclique.grove.io',
    ]);
    found.owned(object, set, 'PodCliqueSet');
    const spec = fields(object['spec']);
    found.equal(`spec.replicas of ${name}`, spec['replicas'], pods);
    const { minAvailable = clique.replicas } = clique;
    found.equal(`minAvailable of ${name}`, spec['minAvailable'], minAvailable);
    complainAboutCliqueStatus(found, object, pods);
  }
}

function complainAboutCliqueStatus(found: Findings, object: KubeObject, pods: number): void {
  const { name } = object.metadata;
  const status = fields(object['status']);
  const numbers = {
    observedGeneration: object.metadata.generation,
    replicas: pods,
    readyReplicas: pods,
    scheduledReplicas: pods,
    scheduleGatedReplicas: 0,
    updatedReplicas: pods,
  };
  for (const [field, value] of Object.entries(numbers)) {
    found.equal(`${field} of ${name}`, status[field], value);
  }
  found.condition(object, 'PodCliqueScheduled', 'True', 'SufficientScheduledPods');
  found.condition(object, 'MinAvailableBreached', 'False', 'SufficientReadyPods');
  found.condition(object, 'Ready', 'True', 'PodsReady');
  found.equal(
    `template hash reached by ${name}`,
    status['currentPodTemplateHash'],
    object.metadata.labels?.['grove.io/pod-template-hash'],
  );
}

function complainAboutGangs(
  found: Findings,
  { podgangs, pods }: Snapshot,
  wanted: SetWanted,
  set: KubeObject,
): void {
  const expected = indices(wanted.replicas).map((replica) => `${wanted.name}-${replica}`);
  found.equal('PodGangs', names(podgangs), expected.toSorted());
  for (const [replica, name] of expected.entries()) {
    const gang = podgangs.find(({ metadata }) => metadata.name === name);
    if (gang === undefined) continue;
    found.owned(gang, set, 'PodCliqueSet');
    found.condition(gang, 'Initialized', 'True', 'PodGangPodsCreated');
    found.equal(`phase of ${name}`, fields(gang['status'])['phase'], 'Running');
    const live = (clique: string) =>
      names(pods.filter(({ metadata }) => metadata.labels?.['grove.io/podclique'] === clique));
    found.equal(
      `groups of ${name}`,
      fields(gang['spec'])['podgroups'],
      cliquesOf(wanted)
        .filter((row) => row.replica === replica)
        .map(({ name: clique, clique: { minAvailable, replicas } }) => ({
          name: clique,
          minReplicas: minAvailable ?? replicas,
          podReferences: live(clique).map((pod) => ({
            name: pod,
            namespace: gang.metadata.namespace,
          })),
        })),
    );
  }
}

function complainAboutServices(
  found: Findings,
  { services }: Snapshot,
  wanted: SetWanted,
  set: KubeObject,
): void {
  const expected = indices(wanted.replicas).map((replica) => `${wanted.name}-${replica}`);
  found.equal('Services', names(services), expected.toSorted());
  for (const service of services) {
    const { name, labels } = service.metadata;
    const replica = { 'grove.io/podcliqueset-replica-index': name.split('-').at(-1) };
    found.owned(service, set, 'PodCliqueSet');
    found.equal(`labels of ${name}`, labels, {
      ...base(wanted.name, name, 'pcs-headless-service'),
      ...replica,
    });
    const spec = fields(service['spec']);
    found.equal(`clusterIP of ${name}`, spec['clusterIP'], 'None');
    found.equal(`selector of ${name}`, spec['selector'], {
      'app.kubernetes.io/managed-by': 'grove-operator',
      'app.kubernetes.io/part-of': wanted.name,
      ...replica,
    });
    found.equal(`not-ready addresses of ${name}`, spec['publishNotReadyAddresses'], true);
  }
}

function complainAboutAccess(
  found: Findings,
  { serviceaccounts, roles, rolebindings, secrets }: Snapshot,
  { name }: SetWanted,
  set: KubeObject,
): void {
  const role = `grove.io:pcs:${name}`;
  found.equal('ServiceAccounts', names(serviceaccounts), [name]);
  found.equal('Roles', names(roles), [role]);
  found.equal('RoleBindings', names(rolebindings), [role]);
  found.equal('Secrets', names(secrets), [`${name}-ic-sat`]);
  for (const object of [...serviceaccounts, ...roles, ...rolebindings, ...secrets]) {
    found.owned(object, set, 'PodCliqueSet');
  }
  const data = fields(secrets[0]?.['data']);
  found.equal('a token is there', typeof data['token'], 'string');
}

const base = (set: string, name: string, component: string): Record<string, string> => ({
  'app.kubernetes.io/managed-by': 'grove-operator',
  'app.kubernetes.io/part-of': set,
  'app.kubernetes.io/name': name,
  'app.kubernetes.io/component': component,
});
