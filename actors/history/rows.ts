// What lists show of actors, and who is told when that may have changed: the inspector keeps its
// table by it. What it needs stands on the actor itself, so a row costs nothing before it is asked
// for. Called by the supervisor, the runner and the intake.
import { actorId, type ActorKey } from '#machines/contract/address.ts';
import { allActorKinds, apiGroup, apiKind, isClusterScoped, objectKind } from '#machines/kinds.ts';
import {
  controllerOf,
  type KubeObject,
  type OwnerReference,
} from '#machines/kubernetes/objects.ts';
import type { Clock } from '../ports.ts';
import type { Actor } from '../run/actor.ts';
import type { ActorRow, FactHistory } from './history.ts';
import { Listeners } from './listeners.ts';

interface Parts {
  readonly ports: { readonly clock: Clock };
  /** As of Listeners. */
  readonly broken: (error: unknown) => void;
  readonly history: Pick<FactHistory, 'newest'>;
}

export class Rows {
  readonly #parts: Parts;
  readonly #listeners: Listeners<ActorKey>;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#listeners = new Listeners(parts.broken);
  }

  subscribe(listener: (key: ActorKey) => void): () => void {
    return this.#listeners.add(listener);
  }

  /** It is in another state from now on. */
  entered(actor: Actor): void {
    actor.since = this.#parts.ports.clock.now();
    this.changed(actor);
  }

  changed(actor: Actor): void {
    actor.changedAt = this.#parts.history.newest;
    this.#listeners.tell(actor.key);
  }

  /** Its own object is this now, which may have another controller than before. */
  follow(actor: Actor, object: KubeObject): void {
    const controller = controllerOf(object);
    if (controller?.uid === actor.controllerUid) return;
    actor.controllerUid = controller?.uid;
    actor.parent = controller && actorOf(controller, actor.key.namespace);
    this.changed(actor);
  }
}

export function rowOf(actor: Actor): ActorRow {
  return {
    key: actor.key,
    machine: actor.behaviour.machine.id,
    state: actor.mode === 'alive' ? (actor.snapshot?.value ?? actor.mode) : actor.mode,
    parent: actor.parent ?? (actor.isRoot ? undefined : actorId(actor.root)),
    since: actor.since,
    restarts: actor.restarts,
    parked: actor.parking !== undefined,
    mailbox: actor.mailbox.length,
    ...(actor.mailbox.length > 0 && { mailSince: actor.mailbox.since }),
  };
}

/** The actor of whom an object names as its controller; undefined: that has none. */
function actorOf(owner: OwnerReference, namespace: string): string | undefined {
  const [group, version] = owner.apiVersion.split('/');
  const kind = allActorKinds().find((actor) => {
    const of = objectKind(actor);
    return apiKind(of) === owner.kind && apiGroup(of) === (version === undefined ? '' : group);
  });
  if (kind === undefined) return undefined;
  const home = isClusterScoped(objectKind(kind)) ? '' : namespace;
  return actorId({ kind, namespace: home, name: owner.name });
}
