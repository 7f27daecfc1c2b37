// Labels and annotations of the pod of a Sandbox: those that its template asks for, without the
// reserved ones, and those by which controllers and routers know it. What the template gave and
// gives no more is taken off; what others put there stays (spec agent-sandbox 2.1.5, R56, R57, S2).
import { object, stringMap, text } from '../../kubernetes/json.ts';
import type { StringMap } from '../../kubernetes/json.ts';
import type { Meta } from '../../kubernetes/meta.ts';
import type { JsonObject } from '../../kubernetes/objects.ts';
import { annotation, isReserved, label } from './labels.ts';
import { nameHash } from './name-hash.ts';
import type { Controller } from './owner.ts';
import type { ObservedSandbox } from './sandbox.ts';

interface PodMetadata {
  readonly labels: StringMap;
  readonly annotations: StringMap;
}

const creators = ['go-client', 'python-client', 'controller'];

/** Who made a Sandbox, in the words that pods and metrics use. */
export const creatorOf = (createdBy: string): string =>
  creators.includes(createdBy) ? createdBy : 'unknown';

/** Values by key; undefined: it is to be absent. */
type Wanted = Readonly<Record<string, string | undefined>>;

interface WantedMetadata {
  readonly labels: Wanted;
  readonly annotations: Wanted;
}

export function newPodMetadata(sandbox: ObservedSandbox): PodMetadata {
  const { labels, annotations } = wantedOf(sandbox);
  return { labels: stringMap(labels), annotations: stringMap(annotations) };
}

/** The part `metadata` of a merge patch; undefined: the pod has what it is to have. */
export function podMetadataPatch(
  sandbox: ObservedSandbox,
  { labels, annotations }: Pick<Meta, 'labels' | 'annotations'>,
): JsonObject | undefined {
  const wanted = wantedOf(sandbox);
  const former = formerOf(annotations);
  const patch: JsonObject = {
    ...patchOf('labels', labels, { ...former.labels, ...wanted.labels }),
    ...patchOf('annotations', annotations, { ...former.annotations, ...wanted.annotations }),
  };
  return Object.keys(patch).length === 0 ? undefined : patch;
}

function wantedOf(sandbox: ObservedSandbox): WantedMetadata {
  const { controller, labels: own, name, podTemplate } = sandbox;
  const metadata = object(podTemplate['metadata']);
  const labels = unreserved(stringMap(metadata['labels']));
  const annotations = unreserved(stringMap(metadata['annotations']));
  const createdBy = text(own[label.createdBy]);
  return {
    labels: {
      ...labels,
      [label.sandboxNameHash]: nameHash(name),
      // After a claim has taken it, routers shall find it by its name (S1, K5).
      [label.warmPool]: controller?.kind === 'SandboxWarmPool' ? own[label.warmPool] : undefined,
      [label.templateRefHash]: isExtension(controller) ? own[label.templateRefHash] : undefined,
      [label.createdBy]: createdBy === '' ? undefined : creatorOf(createdBy),
    },
    annotations: {
      ...annotations,
      [annotation.propagatedLabels]: listed(labels),
      [annotation.propagatedAnnotations]: listed(annotations),
    },
  };
}

const isExtension = (controller: Controller | undefined): boolean =>
  controller !== undefined && controller.kind !== 'other' && controller.kind !== 'Sandbox';

const unreserved = (map: StringMap): StringMap =>
  Object.fromEntries(Object.entries(map).filter(([key]) => !isReserved(key)));

/** Nothing where there are none: an absent list is an empty one. */
const listed = (map: StringMap): string | undefined =>
  Object.keys(map).toSorted().join(',') || undefined;

/** What came from templates before, to be absent unless it is wanted again. Reserved keys among it
 *  were left by old versions. */
function formerOf(annotations: StringMap): WantedMetadata {
  const keysIn = (list: string): Wanted =>
    Object.fromEntries(
      text(annotations[list])
        .split(',')
        .filter((key) => key !== '')
        .map((key) => [key, undefined]),
    );
  return {
    labels: keysIn(annotation.propagatedLabels),
    annotations: keysIn(annotation.propagatedAnnotations),
  };
}

function patchOf(
  field: 'labels' | 'annotations',
  there: StringMap,
  wanted: Wanted,
): Record<string, JsonObject> {
  const changes = Object.entries(wanted)
    .filter(([key, value]) => there[key] !== value)
    .map(([key, value]) => [key, value ?? null] as const);
  return changes.length === 0 ? {} : { [field]: Object.fromEntries(changes) };
}
