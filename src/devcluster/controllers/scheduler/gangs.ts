// What the scheduler knows of gangs, of which plug-ins say what they are: how many pods of each
// group must be placed, and where the gang stands. A gang's minimum is placed together or not at
// all; pods beyond it come one by one. It reads objects only; nothing is decided about nodes here.
import { isEqual } from '#machines/kubernetes/json.ts';
import type { Stored } from '#src/devcluster/contract.ts';
import type { Gang, GangKind, Part } from '../../plugins/contract.ts';
import { keyOf, nameOf, namespaceOf } from '../client.ts';
import { noFitMessage } from './fit.ts';
import type { PartyChoice } from './nodes.ts';

export type Standing =
  /** In no gang, or its gang has its minimum: it is placed by itself. */
  | { readonly is: 'single' }
  /** The gang was not seen, or does not list the pod. */
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

/** As messages name it, which no other gang is called: `<title> <namespace>/<name>`. */
export const gangAt = ({ title }: GangKind, key: string): string => `${title} ${key}`;

export class GangBook {
  readonly #kinds: readonly GangKind[];
  readonly #gangs = new Map<string, Gang>();
  readonly #pods: PodView;

  constructor(kinds: readonly GangKind[], pods: PodView) {
    this.#kinds = kinds;
    this.#pods = pods;
  }

  /** The gang that a pod says it is in; undefined: in none. */
  gangOf(pod: Stored): { readonly kind: GangKind; readonly key: string } | undefined {
    const kind = this.#kinds.find((each) => each.nameOf(pod) !== '');
    if (kind === undefined) return undefined;
    return { kind, key: gangAt(kind, `${namespaceOf(pod)}/${kind.nameOf(pod)}`) };
  }

  /** True where its topology constraints are others than before. */
  set(kind: GangKind, object: Stored): boolean {
    const key = gangAt(kind, keyOf(object));
    const before = this.#gangs.get(key)?.packing;
    const gang = kind.read(object);
    this.#gangs.set(key, gang);
    return !isEqual(before, gang.packing);
  }

  delete(kind: GangKind, object: Stored): void {
    this.#gangs.delete(gangAt(kind, keyOf(object)));
  }

  /** The topology constraints of the pod's gang, where it lists the pod and has any. */
  packingFor(pod: Stored): Part | undefined {
    const gang = this.#gangs.get(this.gangOf(pod)?.key ?? '');
    const isListed = gang?.groups.some(({ pods }) => pods.includes(keyOf(pod))) === true;
    return isListed ? gang.packing : undefined;
  }

  /** Name of the node of a pod that is placed; else empty. */
  nodeOf(key: string): string {
    const pod = this.#pods.find(key);
    return pod === undefined ? '' : this.#pods.nodeOf(pod);
  }

  standingOf(pod: Stored): Standing {
    const own = this.gangOf(pod);
    if (own === undefined) return { is: 'single' };
    const { kind, key } = own;
    const gang = this.#gangs.get(key);
    if (gang === undefined) return { is: 'unknown', message: `waiting for ${key}` };
    if (!gang.groups.some((group) => group.pods.includes(keyOf(pod)))) {
      return { is: 'unknown', message: `${key} does not list pod ${nameOf(pod)}` };
    }
    return this.#standing(kind, key, gang);
  }

  #standing({ groupTitle }: GangKind, key: string, { groups }: Gang): Standing {
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
        short.push(
          `${lacking - free.length} of the ${least} pods that ${groupTitle} ${name} needs`,
        );
      }
    }
    // Of a gang that has lost some of its pods the rest holds its place already: what comes back
    // need not wait for all, which may never come where a group was scaled below its minimum.
    if (short.length > 0 && isStarted) return { is: 'single' };
    if (short.length > 0) {
      const message = `${key} is placed as a whole: ${short.join(', ')} are missing or gated`;
      return { is: 'short', message };
    }
    return required.length === 0 ? { is: 'single' } : { is: 'ready', required, candidates };
  }

  /** Why the minimum of a gang has no place: the first pod that did not fit beside the others. */
  noRoomMessage(
    required: number,
    first: Stored,
    { placed, against, domain = '' }: Exclude<PartyChoice, { readonly nodes: unknown }>,
  ): string {
    const where = domain === '' ? '' : `within one domain of ${domain}: `;
    const why = `${where}${noFitMessage(against)}`;
    if (required === 1) return why;
    const fit = `${placed} of the ${required} pods that it needs fit together`;
    return `${this.gangOf(first)?.key} is placed as a whole: ${fit}, then pod ${nameOf(first)} does not: ${why}`;
  }
}
