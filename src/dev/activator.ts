// The activator of `coppice dev`: a Service among the manifests says by annotation which section
// `activator` of the configuration is wanted, and then one is started beside the controller.
import { parse } from 'yaml';
import { CoppiceError } from '#machines/contract/errors.ts';
import { at, isObject, textOf } from '#machines/kubernetes/json.ts';
import { type ActivatorProcess, startActivatorProcess } from '#src/activator/process.ts';
import { decodeText } from '#src/config/decode.ts';
import type { Configuration } from '#src/config/schema.ts';
import type { KubeConnection } from '#src/kube/connect/connection.ts';
import type { Log } from '#src/log/log.ts';
import { systemClock, systemIds, systemRandom } from '#src/time/clock.ts';
import type { Manifest } from './apply.ts';

type Section = Configuration['activator'];

const annotation = 'dev.coppice/activator';

/** The section that the manifests ask for, on loopback: that of the last Service, with the
 *  revisions of all. Undefined: none asks for one. Throws MALFORMED with the file and the field. */
export function activatorIn(manifests: readonly Manifest[], httpPort: number): Section | undefined {
  const sections = manifests.flatMap((manifest) => sectionOf(manifest) ?? []);
  const last = sections.at(-1);
  if (last === undefined) return undefined;
  return {
    ...last,
    ...{ bindAddress: '127.0.0.1', httpPort, h2cPort: 0, healthPort: 0 },
    revisions: sections.flatMap(({ revisions }) => revisions),
  };
}

function sectionOf({ kind, origin, body }: Manifest): Section | undefined {
  const text = textOf(at(body, 'metadata', 'annotations', annotation));
  if (kind !== 'Service' || text === undefined) return undefined;
  const field = `${origin}: metadata.annotations["${annotation}"]`;
  const result = decodeText(
    JSON.stringify({
      apiVersion: 'coppice.dev/v1alpha1',
      kind: 'CoppiceConfiguration',
      activator: yamlIn(field, text),
    }),
  );
  if (result.ok) return result.configuration.activator;
  const problems = result.problems.map(({ path, message }) => `${path} ${message}`);
  throw new CoppiceError('MALFORMED', `${field}: ${problems.join('; ')}`);
}

function yamlIn(field: string, text: string): unknown {
  try {
    const value: unknown = parse(text);
    if (isObject(value)) return value;
  } catch (error) {
    throw new CoppiceError('MALFORMED', `${field}: ${String(error)}`);
  }
  throw new CoppiceError('MALFORMED', `${field} must be an object, such as {revisions: [...]}`);
}

export interface DevActivator {
  readonly configuration: Configuration;
  readonly activator: Section;
  readonly connection: KubeConnection;
  readonly log: Log;
  readonly version: string;
}

/** Rejects with ListenError where the port cannot be had. */
export const startDevActivator = ({
  configuration,
  activator,
  ...rest
}: DevActivator): Promise<ActivatorProcess> =>
  startActivatorProcess({
    ...rest,
    configuration: { ...configuration, activator },
    ...{ clock: systemClock, random: systemRandom, ids: systemIds(), withProcess: false },
  });

/** How to reach each revision, as commands that can be pasted; none where no activator runs. */
export const activatorSteps = (
  url: string | undefined,
  section: Section | undefined,
): readonly string[] =>
  url === undefined || section === undefined
    ? []
    : [
        'Send a request, which wakes a pod if there is none:',
        ...section.revisions.map(
          ({ namespace, name }) =>
            `  curl -H 'Host: ${name}.${namespace}.svc.cluster.local' ${url}`,
        ),
      ];
