// What the scheduler knows of PodGangs: of each PodClique how many pods must be placed, and where
// the gang stands. A gang's minimum is placed together or not at all; pods beyond it come one by
// one. It reads objects only; nothing is decided about nodes here.
import { label } from '#machines/grove/objects/labels.ts';
import { numberAt, objectAt, objectsAt, textAt, textsAt } from '#machines/kubernetes/fields.ts';
import { isEqual } from '#machines/kubernetes/json.ts';
import type { Stored } from '#src/devcluster/contract.ts';
import { keyOf, nameOf, namespaceOf } from '../client.ts';
import { noFitMessage } from './fit.ts';
import type { PartyChoice } from './nodes.ts';
import { packingOf } from './packing.ts';
import type { Part } from './packing.ts';

interface Group {
  /** The PodClique. */
  readonly name: string;
  readonly least: number;
  /** Keys of the pods listed, in order. */
  readonly pods: readonly string[];
}

export type Standing =
  /** In no gang, or its gang has its minimum: it is placed by itself. */
  | { readonly is: 'single' }
  /** The PodGang was not seen, or does not list the pod. */
  | { readonly is: 'unknown'; readonly message: string }
  /** Too few pods exist, or too many are gated. */
  | { readonly is: 'short'; readonly message: string }
  /** `required` make the minimum whole; `candidates` are all that could be placed. */
  | {
      readonly is: 'ready';
      readonly required: readonly Stored[];
      readonly candidates: readonly Stored[];
    };

export interface PodView {
  readonly find: (key: string) => Stored | undefined;
  /** Name of the node of a pod that is bound and not over, or about to be bound; else empty. */
  readonly nodeOf: (pod: Stored) => string;
  /** To be placed by this scheduler, without a gate. */
  readonly isCandidate: (pod: Stored) => boolean;
}

/** `namespace/name` of the PodGang that a pod says it is in; undefined: in none. */
export function gangOf(pod: Stored): string | undefined {
  const name = textsAt(pod.metadata, 'labels')[label.podGang] ?? '';
  return name === '' ? undefined : `${namespaceOf(pod)}/${name}`;
}

export class GangBook {
  readonly #gangs = new Map<string, readonly Group[]>();
  /** Of those with topology constraints. */
  readonly #packings = new Map<string, Part>();
  readonly #pods: PodView;

  constructor(pods: PodView) {
    this.#pods = pods;
  }

  /** True where its topology constraints are others than before. */
  set(gang: Stored): boolean {
    const namespace = namespaceOf(gang);
    const groups = objectsAt(objectAt(gang, 'spec'), 'podgroups').map((group) => ({
      name: textAt(group, 'name'),
      least: numberAt(group, 'minReplicas') ?? 0,
      pods: objectsAt(group, 'podReferences')
        .filter((reference) => textAt(reference, 'namespace') === namespace)
        .map((reference) => `${namespace}/${textAt(reference, 'name')}`),
    }));
    const key = keyOf(gang);
    this.#gangs.set(key, groups);
    const before = this.#packings.get(key);
    const packing = packingOf(gang, new Map(groups.map(({ name, pods }) => [name, pods])));
    if (packing === undefined) this.#packings.delete(key);
    else this.#packings.set(key, packing);
    return !isEqual(before, packing);
  }

  delete(gang: Stored): void {
    this.#gangs.delete(keyOf(gang));
    this.#packings.delete(keyOf(gang));
  }

  /** The topology constraints of the pod's gang, where it lists the pod and has any. */
  packingFor(pod: Stored): Part | undefined {
    const key = gangOf(pod) ?? '';
    const isListed = this.#gangs.get(key)?.some(({ pods }) => pods.includes(keyOf(pod))) === true;
    return isListed ? this.#packings.get(key) : undefined;
  }

  /** Name of the node of a pod that is placed; else empty. */
  nodeOf(key: string): string {
    const pod = this.#pods.find(key);
    return pod === undefined ? '' : this.#pods.nodeOf(pod);
  }

  standingOf(pod: Stored): Standing {
    const key = gangOf(pod);
    if (key === undefined) return { is: 'single' };
    const groups = this.#gangs.get(key);
    if (groups === undefined) return { is: 'unknown', message: `waiting for PodGang ${key}` };
    if (!groups.some((group) => group.pods.includes(keyOf(pod)))) {
      return { is: 'unknown', message: `PodGang ${key} does not list pod ${nameOf(pod)}` };
    }
    return this.#standing(key, groups);
  }

  #standing(key: string, groups: readonly Group[]): Standing {
    const { find, nodeOf, isCandidate } = this.#pods;
    const isPlaced = (pod: Stored): boolean => nodeOf(pod) !== '';
    const required: Stored[] = [];
    const candidates: Stored[] = [];
    const short: string[] = [];
    let isStarted = false;
    for (const { name, least, pods } of groups) {
      const there = pods.map(find).filter((pod) => pod !== undefined);
      const free = there.filter((pod) => !isPlaced(pod) && isCandidate(pod));
      const placed = there.filter(isPlaced).length;
      const lacking = Math.max(0, least - placed);
      isStarted ||= placed > 0;
      candidates.push(...free);
      required.push(...free.slice(0, lacking));
      if (free.length < lacking) {
        short.push(`${lacking - free.length} of the ${least} pods that PodClique ${name} needs`);
      }
    }
    // Of a gang that has lost some of its pods the rest holds its place already: what comes back
    // need not wait for all, which may never come where a PodClique was scaled below its minimum.
    if (short.length > 0 && isStarted) return { is: 'single' };
    if (short.length > 0) {
      const message = `PodGang ${key} is placed as a whole: ${short.join(', ')} are missing or gated`;
      return { is: 'short', message };
    }
    return required.length === 0 ? { is: 'single' } : { is: 'ready', required, candidates };
  }
}

/** Why the minimum of a gang has no place: the first pod that did not fit beside the others. */
export function noRoomMessage(
  required: number,
  first: Stored,
  { placed, against, domain = '' }: Exclude<PartyChoice, { readonly nodes: unknown }>,
): string {
  const where = domain === '' ? '' : `within one domain of ${domain}: `;
  const why = `${where}${noFitMessage(against)}`;
  if (required === 1) return why;
  const fit = `${placed} of the ${required} pods that it needs fit together`;
  return `PodGang ${gangOf(first)} is placed as a whole: ${fit}, then pod ${nameOf(first)} does not: ${why}`;
}
