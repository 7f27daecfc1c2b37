// Which module an object belongs to, and which tree may write it: sets of Grove, pools of
// agent-sandbox and NVIDIA's ComputeDomains share one cluster here, and each has oracles of its
// own.
import type { ActorKey } from '#machines/contract/address.ts';
import type { Stored } from '#src/devcluster/contract.ts';
import type { KubeRequest } from '#src/kube/transport/transport.ts';
import { treeOf as treeOfClique } from '#test/sim/cliques/guards.ts';
import { domainOf } from '#test/sim/cliques/objects.ts';
import { textAt, uidOf } from '#test/sim/fields.ts';
import { treeOf as treeOfSet } from '#test/sim/oracles/ownerships.ts';
import { type Place, placeOf } from '#test/sim/oracles/place.ts';
import { controllerOf } from '#test/sim/pools/objects.ts';
import { treeOf as treeOfPool } from '#test/sim/pools/world.ts';

export type Group = 'grove' | 'pools' | 'cliques';

/** Of agent-sandbox by itself; `pods` and such by what controls them. */
const ofPools: ReadonlySet<string> = new Set([
  'sandboxes',
  'sandboxclaims',
  'sandboxwarmpools',
  'sandboxtemplates',
]);
/** NVIDIA's; templates of ResourceClaims by the label of their domain. No other module writes
 *  nodes. */
const ofCliques: ReadonlySet<string> = new Set([
  'computedomains',
  'computedomaincliques',
  'daemonsets',
  'nodes',
]);
const owners: ReadonlySet<string> = new Set(['Sandbox', 'SandboxClaim', 'SandboxTemplate']);

export class Trees {
  /** UIDs of objects that a Sandbox, a claim or a template controls. */
  readonly #ofPools = new Set<string>();
  /** UIDs of objects with the label of a ComputeDomain. */
  readonly #ofCliques = new Set<string>();

  /** An object that there is now. */
  see(object: Stored): void {
    if (owners.has(controllerOf(object)?.kind ?? '')) this.#ofPools.add(uidOf(object));
    if (domainOf(object) !== '') this.#ofCliques.add(uidOf(object));
  }

  groupOf({ path, body }: KubeRequest): Group {
    const { plural } = placeOf(path);
    const uid = textAt(body, 'preconditions', 'uid') || textAt(body, 'metadata', 'uid');
    if (ofCliques.has(plural) || domainOf(body) !== '' || this.#ofCliques.has(uid)) {
      return 'cliques';
    }
    const isNew = owners.has(controllerOf(body)?.kind ?? '');
    return ofPools.has(plural) || isNew || this.#ofPools.has(uid) ? 'pools' : 'grove';
  }

  /** Undefined: several may write it. */
  readonly treeOf = (place: Place, object: unknown): ActorKey | undefined => {
    if (ofCliques.has(place.plural) || domainOf(object) !== '') return treeOfClique(place, object);
    if (ofPools.has(place.plural)) return treeOfPool(place, object);
    if (owners.has(controllerOf(object)?.kind ?? '')) return undefined;
    return treeOfSet(place, object);
  };
}
