// The sources of an activator over the embedded cluster, in this process and on a virtual clock,
// with pods whose answers the test decides.
import { onTestFinished } from 'vitest';
import type { Observation } from '#actors/ports.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import type { Configuration } from '#src/config/schema.ts';
import { decodeText } from '#src/config/decode.ts';
import type { RevisionPlane } from '#src/activator/data-plane.ts';
import { startSources } from '#src/activator/sources/sources.ts';
import { superviseRevisions } from '#src/activator/supervise.ts';
import type { Probe } from '#src/activator/validations.ts';
import type { ActivatorSettings } from '#machines/activator/settings.ts';
import { createCluster } from '#src/devcluster/cluster.ts';
import { createKubeClient } from '#src/kube/client.ts';
import type { KubeTransport } from '#src/kube/transport/transport.ts';
import { recordingTelemetry } from '#test/support/telemetry.ts';
import { activatorFamilies } from '#machines/activator/families.ts';
import { seeded, VirtualClock } from '#test/support/virtual-clock.ts';
import { crdOf } from './crds.ts';

export const namespace = 'default';
const slices = `/apis/discovery.k8s.io/v1/namespaces/${namespace}/endpointslices`;
const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

/** The section `activator` of a configuration. Throws where it is wrong. */
export function configured(activator: object): Configuration['activator'] {
  const text = JSON.stringify({
    apiVersion: 'coppice.dev/v1alpha1',
    kind: 'CoppiceConfiguration',
    activator,
  });
  const result = decodeText(text);
  if (result.ok) return result.configuration.activator;
  throw new Error(result.problems.map(({ path, message }) => `${path} ${message}`).join('\n'));
}

interface World {
  readonly activator?: object;
  readonly settings?: Partial<ActivatorSettings>;
  readonly probe?: Probe;
  readonly seed?: number;
}

export async function sourcesWorld({ activator = {}, settings = {}, probe, seed = 1 }: World) {
  const clock = new VirtualClock();
  const random = seeded(seed);
  const cluster = createCluster({ clock, random, controllers: false });
  await cluster.start();
  onTestFinished(() => cluster.stop());
  const transport = cluster.transport();
  const log = (): void => {};
  const kube = createKubeClient({ transport, clock, random, host: 'embedded', log });
  const telemetry = recordingTelemetry(activatorFamilies);
  let ids = 0;
  const revisions = superviseRevisions({
    clock,
    random,
    ids: { next: () => `i${++ids}` },
    cluster: kube.cluster,
    telemetry,
    settings,
    probe: probe ?? (() => Promise.resolve({ isOk: true, id: undefined })),
  });
  const { system, plane } = revisions;
  const { revisions: rows, service, knative } = configured(activator);
  const observed: Observation[] = [];
  const start = () => {
    const sources = startSources({
      kube,
      revisions: rows,
      activators: service,
      isKnative: knative.enabled,
      observe: (observation) => {
        observed.push(observation);
        system.observe(observation);
      },
      lost: () => {},
    });
    void sources.synced.then(
      () => system.synced(),
      () => {},
    );
    onTestFinished(async () => {
      sources.stop();
      await revisions.stop();
    });
    return sources;
  };
  const writes = writesTo(transport);
  return {
    clock,
    cluster,
    transport,
    system,
    plane,
    telemetry,
    observed,
    start,
    ...writes,
    ...tablesOf(plane),
  };
}

const tablesOf = (plane: RevisionPlane) => ({
  /** `ip:port state` of the table of a revision. */
  pods: (name: string): readonly string[] =>
    (plane.find(namespace, name)?.admission.table.snapshot() ?? [])
      .map(({ dest, state }) => `${dest} ${state}`)
      .toSorted(),
  /** Grows with each snapshot of pods that the table is told. */
  told: (name: string): number | undefined => plane.find(namespace, name)?.admission.table.version,
  audit: (name: string): readonly string[] =>
    plane.find(namespace, name)?.admission.table.audit() ?? ['no table'],
});

/** What others change in the cluster. Each rejects with what the server says. */
function writesTo(transport: KubeTransport) {
  const send = async (method: 'POST' | 'PUT' | 'DELETE', path: string, body?: JsonObject) => {
    const request = { method, path, ...(body === undefined ? {} : { body }) };
    const response = await transport.request(request);
    if (response.status >= 300) throw new Error(JSON.stringify(response.body));
  };
  return {
    send,
    installKnative: async (): Promise<void> => {
      for (const crd of ['Revision', 'ServerlessService'] as const) {
        await send('POST', crds, crdOf(crd));
      }
    },
    putSlice: (slice: JsonObject & { readonly metadata: { readonly name: string } }) =>
      send('POST', slices, slice).catch(() =>
        send('PUT', `${slices}/${slice.metadata.name}`, slice),
      ),
    deleteSlice: (name: string) => send('DELETE', `${slices}/${name}`),
  };
}

/** As Kubernetes writes them. */
export const sliceOfPods = (
  service: string,
  ips: readonly string[],
  { name = `${service}-1`, port = 'http', number = 8080, ready = true } = {},
) => ({
  apiVersion: 'discovery.k8s.io/v1',
  kind: 'EndpointSlice',
  metadata: { name, namespace, labels: { 'kubernetes.io/service-name': service } },
  addressType: 'IPv4',
  ports: [{ name: port, port: number, protocol: 'TCP' }],
  endpoints: ips.map((ip) => ({
    addresses: [ip],
    conditions: { ready },
    targetRef: { kind: 'Pod', name: `pod-${ip}`, uid: `uid-${ip}` },
  })),
});
