// What the embedded cluster does not do as Kubernetes does: the exceptions of the conformance
// suite. Each is looked at on both servers, so that one that is no more, or never was, fails; the
// table in docs/embedded-cluster.md is written from here by `npm run surface`.
import { at, list, text } from '#machines/kubernetes/json.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { systemClock } from '#src/time/clock.ts';
import { within } from './difference.ts';
import type { Difference } from './difference.ts';
import type { Session } from './session.ts';
import { workloadDifferences } from './workload-differences.ts';

const message = (answer: { readonly body: JsonObject }): string => text(answer.body['message']);

/** A token of the namespace's default account. */
async function accountToken(s: Session): Promise<string> {
  const path = s.path('serviceaccounts', 'default', 'token');
  const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} };
  return text(at(await s.create(path, body), 'status', 'token'));
}

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

/** Of two versions; `seen` gets the reply. Taken away again. */
async function withDefinition<T>(
  s: Session,
  conversion: JsonObject,
  seen: (group: string, reply: JsonObject) => Promise<T>,
): Promise<T> {
  const group = `${s.namespace}.coppice.dev`;
  const schema = { openAPIV3Schema: { type: 'object' } };
  const version = (name: string, storage: boolean) => ({ name, served: true, storage, schema });
  const names = { plural: 'things', singular: 'thing', kind: 'Thing' };
  const reply = await s.create(definitions, {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `things.${group}` },
    spec: {
      group,
      names,
      scope: 'Namespaced',
      versions: [version('v1', true), version('v2', false)],
      conversion,
    },
  });
  try {
    return await seen(group, reply);
  } finally {
    await s.send('DELETE', `${definitions}/things.${group}`);
  }
}

export const differences: Readonly<Record<string, Difference>> = {
  'wordings of refusals that quote Go': {
    here:
      'the error in plain words, with the same code and reason: a wrong type ' +
      '(`json: cannot unmarshal spec.x: ...`), another kind, an invalid time or base64, a body ' +
      'that is not an object, an unreadable selector or continue token',
    inKubernetes: "Go's struct fields, types and parser positions",
    reason: 'they change with each version, and no client may rely on them',
    async isAsInKubernetes(s) {
      const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: 'text' };
      return message(await s.send('POST', s.path('configmaps'), body)).includes('Go struct field');
    },
  },
  'a forbidden update of a pod': {
    here: 'names the fields that changed',
    inKubernetes: 'prints the difference of both structs',
    reason: 'clients act on its code and reason',
    async isAsInKubernetes(s) {
      await s.pod('a');
      const spec = { hostname: 'other' };
      return message(await s.tryPatch(s.path('pods', 'a'), 'merge', { spec })).includes('\n@@ ');
    },
  },
  '`kubectl explain` of built-in kinds': {
    here: 'its own short descriptions, values not enumerated',
    inKubernetes: "Kubernetes' texts",
    reason: 'the texts are a megabyte',
    async isAsInKubernetes(s) {
      const schemas = at(await s.get('/openapi/v3/api/v1'), 'components', 'schemas');
      const description = at(schemas, 'io.k8s.api.core.v1.ConfigMap', 'description');
      return description === 'ConfigMap holds configuration data for pods to consume.';
    },
  },
  EndpointSlices: {
    here: 'stored but never created, so `describe service` shows `<none>`',
    inKubernetes: 'a controller',
    reason: 'the embedded cluster sends no packets to pods',
    async isAsInKubernetes(s, patienceMs) {
      const spec = { selector: { app: 'x' }, ports: [{ port: 80 }] };
      await s.create(s.path('services'), { metadata: { name: 'a' }, spec });
      const path = `/apis/discovery.k8s.io/v1/namespaces/${s.namespace}/endpointslices`;
      return within(patienceMs, async () => (await s.list(path)).length > 0);
    },
  },
  'a JSON patch that copies a missing field': {
    here: 'null',
    inKubernetes: 'the zero value of the type',
    reason: 'the patch does not know types',
    async isAsInKubernetes(s) {
      await s.configMap('a', { data: { k: 'v' } });
      const copy = [{ op: 'copy', from: '/data/missing', path: '/data/here' }];
      const { body } = await s.tryPatch(s.path('configmaps', 'a'), 'json', copy);
      return at(body, 'data', 'here') === '';
    },
  },
  authorisation: {
    here:
      'every authenticated user may do everything; access reviews allow everything; RBAC objects ' +
      'are stored, not enforced',
    inKubernetes: 'RBAC',
    reason: 'the chart is tested on the real control plane',
    async isAsInKubernetes(s) {
      const account = s.server.withToken(await accountToken(s));
      const { status } = await account.request({ method: 'GET', path: s.path('secrets') });
      return status === 403;
    },
  },
  authentication: {
    here:
      'client certificates of the CA, tokens of service accounts (HS256), `--as`; anonymous users ' +
      'see only health and version',
    inKubernetes: 'more methods; RS256',
    reason: 'the controller and kubectl use only these',
    async isAsInKubernetes(s) {
      const [head = ''] = (await accountToken(s)).split('.');
      return Buffer.from(head, 'base64url').toString('utf8').includes('"RS256"');
    },
  },
  containers: {
    here:
      'simulated: ready after a moment, no process; `logs` says so; no `exec`, `attach`, ' +
      "`port-forward`, `proxy`. Grove's init container is kept by its plug-in: the code of " +
      '`coppice init` follows the gang with the token that is mounted',
    inKubernetes: 'real',
    reason: 'a thousand pods must fit into one process',
    async isAsInKubernetes(s) {
      const names = list(at(await s.get('/api/v1'), 'resources')).map((one) => at(one, 'name'));
      return names.includes('pods/exec');
    },
  },
  ...workloadDifferences,
  protobuf: {
    here:
      'understood in bodies of built-in kinds; answers are always JSON (406 if the client rejects it, ' +
      'as for OpenAPI v2 of old clients)',
    inKubernetes: 'both ways',
    reason: 'every client accepts JSON too',
    async isAsInKubernetes(s) {
      const accept = 'application/vnd.kubernetes.protobuf';
      return (await s.send('GET', s.path('configmaps'), undefined, { accept })).status === 200;
    },
  },
  transport: {
    here: 'HTTP/1.1 over TLS, no compression',
    inKubernetes: 'also HTTP/2, gzip',
    reason: 'it listens on loopback',
    isAsInKubernetes: 'the suite asks over HTTP/1.1 and for no compression, as the controller does',
  },
  'a new CRD': {
    here: 'established in the reply to its creation',
    inKubernetes: 'a moment later',
    reason: 'tests finish sooner',
    async isAsInKubernetes(s) {
      return withDefinition(s, { strategy: 'None' }, async (_, { status }) => {
        const conditions = list(at(status, 'conditions'));
        return !conditions.some(
          (one) => at(one, 'type') === 'Established' && at(one, 'status') === 'True',
        );
      });
    },
  },
  'a version above the latest': {
    here: 'refused at once',
    inKubernetes: 'after three seconds',
    reason: 'tests finish sooner',
    async isAsInKubernetes(s) {
      const from = systemClock.now();
      await s.send('GET', `${s.path('configmaps')}?resourceVersion=9000000000000`);
      return systemClock.now() - from > 2_000;
    },
  },
  kinds: {
    here:
      'those of `schema/builtin-table.ts`; not Ingress, APIService writes, ' +
      'CertificateSigningRequest',
    inKubernetes: 'all',
    reason: 'Coppice does not use the others',
    async isAsInKubernetes(s) {
      return (await s.send('GET', '/apis/networking.k8s.io/v1/ingresses')).status === 200;
    },
  },
  'priority and fairness': {
    here: 'none; 429 comes from faults and budgets only',
    inKubernetes: 'yes',
    reason: 'a test chooses when it is refused',
    async isAsInKubernetes(s) {
      const { headers } = await s.send('GET', s.path('configmaps'));
      return headers['x-kubernetes-pf-flowschema-uid'] !== undefined;
    },
  },
  persistence: {
    here: 'none',
    inKubernetes: 'etcd',
    reason: 'every start is fresh, so nothing is left over',
    isAsInKubernetes: 'the servers are not started again within the suite',
  },
};
