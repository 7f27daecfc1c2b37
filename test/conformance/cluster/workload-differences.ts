// The exceptions of the conformance suite (differences.ts) that are about pods and what makes,
// bounds or supplies them: controllers that the embedded cluster has not, or only in part.
import { at } from '#machines/kubernetes/json.ts';
import { within } from './difference.ts';
import type { Difference } from './difference.ts';
import { pod } from './session.ts';
import { volumeClaim } from './volumes.ts';

const template = {
  metadata: { labels: { app: 'x' } },
  spec: { containers: [{ name: 'main', image: 'x' }] },
};
const selector = { matchLabels: { app: 'x' } };
const nodeSelector = { 'no.such/label': 'x' };

export const workloadDifferences: Readonly<Record<string, Difference>> = {
  workloads: {
    here:
      'DaemonSets have a controller; Deployments, Jobs and so on are stored and validated, but ' +
      'have none',
    inKubernetes: 'controllers',
    reason: 'Coppice creates its pods itself',
    async isAsInKubernetes(s, patienceMs) {
      const spec = { selector, template };
      await s.create(s.path('deployments'), { metadata: { name: 'a' }, spec });
      const path = `/apis/apps/v1/namespaces/${s.namespace}/replicasets`;
      return within(patienceMs, async () => (await s.list(path)).length > 0);
    },
  },
  'updates of DaemonSets': {
    here:
      'one pod after the other, as `maxUnavailable` says, or when the user deletes it; no ' +
      'ControllerRevisions, so `rollout undo` finds none, and `maxSurge` counts as `maxUnavailable: 1`',
    inKubernetes: 'a ControllerRevision per template; a new pod beside the old one with `maxSurge`',
    reason: 'a daemon is replaced in tests, not rolled back',
    async isAsInKubernetes(s, patienceMs) {
      const spec = {
        selector,
        template: { ...template, spec: { ...template.spec, nodeSelector } },
      };
      await s.create(s.path('daemonsets'), { metadata: { name: 'a' }, spec });
      const path = `/apis/apps/v1/namespaces/${s.namespace}/controllerrevisions`;
      return within(patienceMs, async () => (await s.list(path)).length > 0);
    },
  },
  'resource claims': {
    here:
      'a pod that names a claim, or a template of one, runs at once: no claim is made, and no ' +
      'device is allocated',
    inKubernetes: 'a claim is made from the template, and the pod waits until it is allocated',
    reason: 'the nodes have no devices that a driver would publish',
    async isAsInKubernetes(s, patienceMs) {
      const request = { name: 'x', exactly: { deviceClassName: 'x.example.com' } };
      await s.create(s.path('resourceclaimtemplates'), {
        metadata: { name: 'a' },
        spec: { spec: { devices: { requests: [request] } } },
      });
      await s.pod('a', { resourceClaims: [{ name: 'x', resourceClaimTemplateName: 'a' }] });
      return within(patienceMs, async () => (await s.list(s.path('resourceclaims'))).length > 0);
    },
  },
  volumes: {
    here:
      'each PersistentVolumeClaim is bound at once to a volume of its own, which goes with it; ' +
      'pods do not wait for theirs, and keep no claim from going',
    inKubernetes: 'a provisioner binds, the pod waits, and a claim in use stays until the pod ends',
    reason: 'the containers have no files',
    async isAsInKubernetes(s) {
      const made = await s.create(s.path('persistentvolumeclaims'), volumeClaim('a'));
      return at(made, 'metadata', 'finalizers') !== undefined;
    },
  },
  'disruption budgets': {
    here: 'an eviction obeys `status.disruptionsAllowed`, which is not computed',
    inKubernetes: 'a controller computes it',
    reason: 'a test sets that number itself',
    async isAsInKubernetes(s, patienceMs) {
      const path = `/apis/policy/v1/namespaces/${s.namespace}/poddisruptionbudgets`;
      await s.create(path, { metadata: { name: 'a' }, spec: { selector, minAvailable: 1 } });
      const seen = async () => at(await s.get(`${path}/a`), 'status', 'observedGeneration');
      return within(patienceMs, async () => (await seen()) === 1);
    },
  },
  'quotas, limit ranges': {
    here: 'stored, not enforced',
    inKubernetes: 'enforced',
    reason: 'a test can request any refusal as a fault',
    async isAsInKubernetes(s, patienceMs) {
      const spec = { hard: { pods: '0' } };
      await s.create(s.path('resourcequotas'), { metadata: { name: 'a' }, spec });
      const body = pod('', {}, { generateName: 'a-' });
      // A server hears of its quotas by a watch of its own.
      const refused = async () => (await s.send('POST', s.path('pods'), body)).status === 403;
      return within(patienceMs, refused);
    },
  },
};
