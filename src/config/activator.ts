// The part of the configuration about the activator: `coppice activator` reads it, the controller
// does not (docs/activator.md).
import { policyNames } from '#machines/activator/table.ts';
import {
  boolean,
  type Decoded,
  integer,
  listOf,
  oneOf,
  type Problem,
  rate,
  section,
  text,
} from './field.ts';

const port = (fallback: number, doc: string) => integer({ least: 0, most: 65_535 }, fallback, doc);
const most = 2_147_483_647;
const seconds = (fallback: number, doc: string) =>
  integer({ least: 0, most: 86_400 }, fallback, doc);

/** Of threads that take requests. */
export const workerCounts = { least: 1, most: 64 };

/** Kinds whose `scale` is written. */
export const scaleKinds = ['Deployment', 'PodClique', 'PodCliqueScalingGroup'] as const;

const scale = section('What the autoscaler of this process scales.', {
  kind: oneOf(['none', ...scaleKinds], 'none', '`none`: somebody else scales it.'),
  name: text(undefined, 'Its name; absent: that of the revision.'),
  target: rate(
    0,
    'Requests at once that one pod is to have; 0: 70 % of `containerConcurrency`, or 100 where that is 0.',
  ),
  least: integer({ least: 0, most: 100_000 }, 0, 'Fewest replicas; 0: none while nobody asks.'),
});

const revisions = listOf(
  section('One revision.', {
    namespace: text('default', 'Its namespace, which is that of the Service too.'),
    name: text('', 'Its name, by which requests ask for it.'),
    service: text(undefined, 'The Service whose endpoints are its pods; absent: its name.'),
    port: text('http', 'The port of that Service, by name.'),
    containerConcurrency: integer(
      { least: 0, most },
      0,
      'Requests that one pod takes at once; 0: any number.',
    ),
    timeoutSeconds: seconds(300, 'No request takes longer; 0: 300.'),
    responseStartTimeoutSeconds: seconds(0, 'Until the answer begins; 0: as long as it may take.'),
    idleTimeoutSeconds: seconds(0, 'Without a byte of the answer; 0: any time.'),
    fullDuplex: boolean(false, 'True: clients go on sending after the answer has begun.'),
    maxScale: integer({ least: 0, most: 100_000 }, 0, 'Most pods; 0: any number.'),
    policy: oneOf(
      ['default', ...policyNames],
      'default',
      'How a pod is chosen; `default`: by `containerConcurrency`.',
    ),
    probePath: text(
      undefined,
      'Path that a pod answers with a status from 200 to 399 as soon as it takes requests; absent: the readiness that Kubernetes tells is believed.',
    ),
    scale,
  }),
  [],
  'Revisions that are not of Knative: a Service and how its pods are used.',
);

const autoscaler = section(
  'Starts and ends pods of `revisions` that name what is scaled, by the requests that are here.',
  {
    enabled: boolean(false, 'True: `scale` is written.'),
    windowSeconds: integer({ least: 1, most: 3_600 }, 60, 'Requests at once are averaged over it.'),
    panicPercent: rate(
      0,
      'Share of that window, in percent, over which a sudden rise counts at once; 0: no such window.',
    ),
    panicThreshold: rate(
      2,
      'A rise is sudden if that window asks for so many times the pods there are.',
    ),
    graceSeconds: seconds(
      30,
      'The last pod stays for so long after a whole window without requests.',
    ),
    maxRisePerSecond: rate(1_000, 'At most so many times the pods there are at a decision.'),
  },
);

const knative = section("Knative's objects, and its autoscaler.", {
  enabled: boolean(false, 'True: Revisions and ServerlessServices are watched.'),
  autoscalerUrl: text(
    undefined,
    'Where requests at once are reported, such as `ws://autoscaler.knative-serving.svc.cluster.local:8080`; absent: nowhere.',
  ),
});

export const activator = section('The activator, which `coppice activator` runs.', {
  bindAddress: text('0.0.0.0', 'Address to listen on.'),
  httpPort: port(8012, 'Requests over HTTP/1.1 and h2c; 0: any free port.'),
  h2cPort: port(8013, 'Requests over h2c alone; 0: any free port.'),
  healthPort: port(2756, '`/livez`, `/readyz`, `/actors` and `/metrics`; 0: any free port.'),
  address: text(
    undefined,
    'IP of this activator, by which it finds its place among others; absent: `$COPPICE_POD_IP`.',
  ),
  service: text(
    undefined,
    'Service of the activators as `namespace/name`, by whose endpoints they share the pods of `revisions`; absent: there is one activator.',
  ),
  workers: integer(
    workerCounts,
    1,
    'Threads that take requests; with 1 the process takes them itself. More only on Linux.',
  ),
  drainSeconds: seconds(45, 'Requests are served as before for so long after SIGTERM.'),
  requestLogTemplate: text(
    undefined,
    'A line of standard output for each request, as a template of `logging.request-log-template` of Knative; absent: none.',
  ),
  revisions,
  autoscaler,
  knative,
});

const names = /^[a-z0-9](?:[-a-z0-9.]*[a-z0-9])?$/;

/** What no field can see alone. */
export function checkActivator(own: Decoded<typeof activator>): readonly Problem[] {
  const problems: Problem[] = [];
  const seen = new Set<string>();
  own.revisions.forEach(({ namespace, name, scale: { kind } }, index) => {
    const path = `activator.revisions[${index}].name`;
    const key = `${namespace}/${name}`;
    if (name === '') {
      problems.push({ path, message: 'is missing, it must be the name of the revision' });
    } else if (!names.test(name)) {
      const message = `"${name}" is wrong, it must be lower-case letters, digits, - and .`;
      problems.push({ path, message });
    } else if (seen.has(key)) {
      problems.push({ path, message: `"${name}" is there twice in namespace ${namespace}` });
    }
    seen.add(key);
    if (kind === 'none' || own.autoscaler.enabled) return;
    const message = `is ${kind}, with it activator.autoscaler.enabled must be true`;
    problems.push({ path: `activator.revisions[${index}].scale.kind`, message });
  });
  if (own.autoscaler.enabled && own.service !== undefined) {
    const why = 'each of several activators sees its own requests alone';
    const message = `is true, with activator.service it must be false: ${why}`;
    problems.push({ path: 'activator.autoscaler.enabled', message });
  }
  if (own.service !== undefined && !/^[^/]+\/[^/]+$/.test(own.service)) {
    const message = `"${own.service}" is wrong, it must be namespace/name`;
    problems.push({ path: 'activator.service', message });
  }
  const { autoscalerUrl } = own.knative;
  if (autoscalerUrl !== undefined && !/^wss?:$/.test(URL.parse(autoscalerUrl)?.protocol ?? '')) {
    const message = `"${autoscalerUrl}" is wrong, it must begin with ws:// or wss://`;
    problems.push({ path: 'activator.knative.autoscalerUrl', message });
  }
  return problems;
}
