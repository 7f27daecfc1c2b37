// The actors of a little world of agent-sandbox: started with what is addressed to them, told, and
// reconciled with what they read, as in the runtime. What they intend, the world around them does.
// Used by world.ts.
import type { AnyMachineSnapshot } from 'xstate';
import { noCause } from '#actors/mail/causality.ts';
import { Views } from '#actors/views/views.ts';
import type { Reader } from '#actors/views/views.ts';
import { agentsandbox } from '#machines/agentsandbox/module.ts';
import type { AgentSandboxInput, AgentSandboxSettings } from '#machines/agentsandbox/settings.ts';
import { actorId } from '#machines/contract/address.ts';
import type { ActorKey } from '#machines/contract/address.ts';
import type { Behaviour } from '#machines/contract/behaviour.ts';
import type { Intent } from '#machines/contract/intents.ts';
import type { Entry } from '#machines/contract/view.ts';
import type { ActorKind } from '#machines/kinds.ts';

interface SandboxActor extends Reader {
  readonly key: ActorKey;
  readonly behaviour: Behaviour<AgentSandboxInput>;
  snapshot: AnyMachineSnapshot;
  wakesAt: number | undefined;
  isTouched: boolean;
}

interface Event {
  readonly type: string;
}

/** The world around them. */
interface Around {
  readonly now: () => number;
  readonly settings: () => AgentSandboxSettings;
  /** Those that run; of others tests write by hand what they would. */
  readonly kinds: () => readonly ActorKind[];
  /** What is addressed to an actor that starts. */
  readonly addressed: (id: string) => readonly Event[];
  /** `id`: of the actor. */
  readonly act: (id: string, intent: Intent) => void;
  readonly trace: (kind: ActorKind, value: unknown) => void;
}

export class SandboxActors {
  readonly #around: Around;
  readonly #actors = new Map<string, SandboxActor>();
  readonly #views = new Views<SandboxActor>(() => {});

  constructor(around: Around) {
    this.#around = around;
  }

  /** What an object is in views. */
  show(object: string, entries: readonly Entry[]): void {
    this.#views.put(object, entries, noCause);
  }

  why(key: ActorKey): readonly string[] {
    const actor = this.#actors.get(actorId(key));
    if (actor === undefined) return ['no actor'];
    this.#refresh(actor);
    return actor.behaviour.why(actor.snapshot, this.#around.now());
  }

  /** An actor that is not there hears only of what it starts with. */
  deliver(key: ActorKey, event: Event): void {
    if (!this.tell(actorId(key), event)) this.#start(key);
  }

  /** False where there is no such actor. `isTouched`: it is reconciled whatever it makes of it. */
  tell(id: string, event: Event, isTouched = false): boolean {
    const actor = this.#actors.get(id);
    if (actor === undefined) return false;
    this.#send(actor, event);
    actor.isTouched ||= isTouched;
    return true;
  }

  passDeadlines(): void {
    const now = this.#around.now();
    for (const actor of this.#actors.values()) {
      if (actor.wakesAt !== undefined && actor.wakesAt <= now) actor.isTouched = true;
    }
  }

  /** Until nothing is touched. */
  stabilize(): void {
    for (let round = 0; round < 1_000; round++) {
      for (const { id, value, readers } of this.#views.changes()) {
        for (const reader of readers) reader.isTouched ||= reader.reads.get(id)?.value !== value;
      }
      const touched = [...this.#actors.values()].filter(({ isTouched }) => isTouched);
      if (touched.length === 0) return;
      for (const actor of touched) this.#reconcile(actor);
    }
    throw new Error('actors touch each other for ever');
  }

  #start(key: ActorKey): void {
    const behaviour = agentsandbox.behaviours.find(({ kind }) => kind === key.kind);
    if (behaviour === undefined || !this.#around.kinds().includes(key.kind)) return;
    const id = actorId(key);
    const snapshot = behaviour.start({ key, root: key, settings: this.#around.settings() });
    const reads: SandboxActor['reads'] = new Map();
    const actor = { id, key, behaviour, reads, snapshot, wakesAt: undefined, isTouched: true };
    this.#actors.set(id, actor);
    this.#move(actor, snapshot);
    for (const event of this.#around.addressed(id)) this.#send(actor, event);
  }

  #send(actor: SandboxActor, event: Event): void {
    const snapshot = actor.behaviour.reduce(actor.snapshot, event);
    if (snapshot !== actor.snapshot) actor.isTouched = true;
    this.#move(actor, snapshot);
  }

  #move(actor: SandboxActor, snapshot: AnyMachineSnapshot): void {
    actor.snapshot = snapshot;
    this.#around.trace(actor.key.kind, snapshot.value);
  }

  #refresh(actor: SandboxActor): void {
    const { behaviour } = actor;
    for (let round = 0; round < 4; round++) {
      const events = this.#views.follow(actor, behaviour.reads(actor.snapshot));
      for (const event of events) this.#move(actor, behaviour.reduce(actor.snapshot, event));
    }
  }

  #reconcile(actor: SandboxActor): void {
    const { behaviour } = actor;
    actor.isTouched = false;
    this.#refresh(actor);
    const { snapshot, intents, waits } = behaviour.reconcile(actor.snapshot, this.#around.now());
    const first = Math.min(...waits.map(({ until = Infinity }) => until));
    actor.wakesAt = first === Infinity ? undefined : first;
    this.#move(actor, snapshot);
    for (const intent of intents) this.#around.act(actor.id, intent);
    if (snapshot.status === 'active' && !behaviour.isOver(snapshot)) return;
    this.#actors.delete(actor.id);
    this.#views.end(actor, noCause);
  }
}
