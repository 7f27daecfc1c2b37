// Which module an object belongs to, and which tree may write it: sets of Grove and pools of
// agent-sandbox share one cluster here, and each has oracles of its own.
import type { ActorKey } from '#machines/contract/address.ts';
import type { Stored } from '#src/devcluster/contract.ts';
import type { KubeRequest } from '#src/kube/transport/transport.ts';
import { textAt, uidOf } from '#test/sim/fields.ts';
import { treeOf as treeOfSet } from '#test/sim/oracles/ownerships.ts';
import { type Place, placeOf } from '#test/sim/oracles/place.ts';
import { controllerOf } from '#test/sim/pools/objects.ts';
import { treeOf as treeOfPool } from '#test/sim/pools/world.ts';

export type Group = 'grove' | 'pools';

/** Of agent-sandbox by itself; `pods` and such by what controls them. */
const plurals: ReadonlySet<string> = new Set([
  'sandboxes',
  'sandboxclaims',
  'sandboxwarmpools',
  'sandboxtemplates',
]);
const owners: ReadonlySet<string> = new Set(['Sandbox', 'SandboxClaim', 'SandboxTemplate']);

export class Trees {
  /** UIDs of objects that a Sandbox, a claim or a template controls. */
  readonly #ofPools = new Set<string>();

  /** An object that there is now. */
  see(object: Stored): void {
    if (owners.has(controllerOf(object)?.kind ?? '')) this.#ofPools.add(uidOf(object));
  }

  groupOf({ path, body }: KubeRequest): Group {
    if (plurals.has(placeOf(path).plural)) return 'pools';
    const uid = textAt(body, 'preconditions', 'uid') || textAt(body, 'metadata', 'uid');
    const isNew = owners.has(controllerOf(body)?.kind ?? '');
    return isNew || this.#ofPools.has(uid) ? 'pools' : 'grove';
  }

  /** Undefined: several may write it. */
  readonly treeOf = (place: Place, object: unknown): ActorKey | undefined => {
    if (plurals.has(place.plural)) return treeOfPool(place, object);
    if (owners.has(controllerOf(object)?.kind ?? '')) return undefined;
    return treeOfSet(place, object);
  };
}
