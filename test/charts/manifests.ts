// What Helm renders of the chart, as objects: shared by the tests of the chart.
import { parseAllDocuments } from 'yaml';
import { at, list, object, text } from '#machines/kubernetes/json.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';

export const objectsIn = (manifests: string): readonly JsonObject[] =>
  parseAllDocuments(manifests).flatMap((document) => {
    const value: unknown = document.toJS();
    return value === null ? [] : [object(value)];
  });

export const kindOf = (manifest: unknown): string => text(at(manifest, 'kind'));
export const nameOf = (manifest: unknown): string => text(at(manifest, 'metadata', 'name'));

/** Those of a kind, by name. */
export const ofKind = (
  manifests: readonly JsonObject[],
  kind: string,
): Readonly<Record<string, JsonObject>> =>
  Object.fromEntries(
    manifests.filter((each) => kindOf(each) === kind).map((each) => [nameOf(each), each]),
  );

/** The templates of all pods, by the name of what makes them. */
export const podsIn = (manifests: readonly JsonObject[]): Readonly<Record<string, JsonObject>> =>
  Object.fromEntries(
    manifests.flatMap((each) => {
      const template = at(each, 'spec', 'template');
      return template === undefined ? [] : [[nameOf(each), object(template)]];
    }),
  );

/** What the Pod Security Standard "restricted" says against a pod, besides what a pod of the chart
 *  has to have: a root that is read-only, and limits. */
export function unrestricted(pod: unknown): readonly string[] {
  const spec = at(pod, 'spec');
  const demands: readonly (readonly [string, boolean])[] = [
    ['runs as root', at(spec, 'securityContext', 'runAsNonRoot') === true],
    ['has a low user id', Number(at(spec, 'securityContext', 'runAsUser')) >= 10_000],
    ['has no seccomp', at(spec, 'securityContext', 'seccompProfile', 'type') === 'RuntimeDefault'],
    ...['hostNetwork', 'hostPID', 'hostIPC'].map(
      (field) => [`has ${field}`, at(spec, field) === undefined] as const,
    ),
    ...list(at(spec, 'volumes')).map(
      (volume) =>
        [
          `mounts ${text(at(volume, 'name'))}`,
          ['configMap', 'secret', 'emptyDir', 'projected'].some((kind) => at(volume, kind)),
        ] as const,
    ),
    ...list(at(spec, 'containers')).flatMap(ofContainer),
  ];
  return demands.filter(([, isMet]) => !isMet).map(([what]) => what);
}

function ofContainer(container: unknown): readonly (readonly [string, boolean])[] {
  const security = at(container, 'securityContext');
  return [
    ['escalates', at(security, 'allowPrivilegeEscalation') === false],
    ['is privileged', at(security, 'privileged') === undefined],
    ['has capabilities', list(at(security, 'capabilities', 'drop')).join() === 'ALL'],
    ['adds capabilities', at(security, 'capabilities', 'add') === undefined],
    ['writes to its root', at(security, 'readOnlyRootFilesystem') === true],
    ['has no memory limit', at(container, 'resources', 'limits', 'memory') !== undefined],
    ['has no request', at(container, 'resources', 'requests', 'cpu') !== undefined],
    ['uses a port of the host', !list(at(container, 'ports')).some((port) => at(port, 'hostPort'))],
  ];
}
