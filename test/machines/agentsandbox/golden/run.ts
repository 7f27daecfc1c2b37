// A scenario of warm pools as it runs: a pool is full and at rest, then users act and time passes
// (shaken.ts). Scenarios are told through it.
import type { JsonObject, KubeObject } from '#machines/kubernetes/objects.ts';
import { controllerOf } from '#machines/kubernetes/objects.ts';
import { conditionsOf } from '#machines/kubernetes/conditions.ts';
import { annotation } from '#machines/agentsandbox/objects/labels.ts';
import { at, text } from '#machines/kubernetes/json.ts';
import { rfc3339 } from '#machines/kubernetes/time.ts';
import type { Fate } from '#test/support/late-writes.ts';
import type { WriteIntent } from '#test/support/world-store.ts';
import { Judge } from '../claim/judge.ts';
import { claimObject, poolObject, settings, templateObject } from '../claim/objects.ts';
import { wrongIn } from '../claim/outcome.ts';
import { Process } from '../claim/process.ts';
import { Server } from '../claim/server.ts';
import { Record } from './record.ts';
import { Shaken } from './shaken.ts';

const namespace = 'demo';
const poolRef = { kind: 'SandboxWarmPool', namespace, name: 'pool' } as const;

export class Run extends Shaken<Record> {
  readonly #server = new Server();
  /** Throws where what must hold at every moment does not. */
  readonly judge = new Judge(this.#server);
  #process: Process;
  #hear: (object: KubeObject, isGone: boolean) => void = () => {};
  /** Sandboxes as they were last, by name. */
  readonly #last = new Map<string, KubeObject>();
  /** Called once when a claim has an assignment. */
  #atAssignment: ((sandbox: string) => void) | undefined;

  constructor(pool: Parameters<typeof poolObject>[0], seed: number) {
    super(new Record(), seed);
    this.#server.watchers.add((object, isGone) => {
      const { kind, metadata } = object;
      if (kind === 'Sandbox' && !isGone) this.#last.set(metadata.name, object);
      this.#hear(object, isGone);
    });
    this.#process = this.#start();
    this.#server.create(templateObject());
    this.#server.create(poolObject(pool));
    this.begin();
  }

  /** What is wrong in the end. */
  wrong(replicas: number): readonly string[] {
    return wrongIn(this.#server, this.#process, { replicas });
  }

  /** What claims say and have, and the members. */
  end(): readonly string[] {
    const claims = this.#server.byKind('SandboxClaim').map((claim) => {
      const { name } = claim.metadata;
      const bound = text(at(claim, 'status', 'sandbox', 'name'));
      const has = bound === '' ? 'none' : this.record.letterOf(name, bound);
      return `${name} ${readyOf(claim)}, ${has}`;
    });
    const members = this.#server
      .byKind('Sandbox')
      .filter((one) => controllerOf(one)?.kind === 'SandboxWarmPool');
    const ready = members.filter((one) => readyOf(one).startsWith('True'));
    const all = this.#server.byKind('Sandbox').length;
    const counts = `${members.length} members, ${ready.length} ready, ${all} Sandboxes`;
    return [...claims.toSorted(), counts];
  }

  // -- what users do, and what befalls writes ----------------------------------------------------

  claim(name: string, spec: JsonObject = {}): void {
    this.record.acted(`claim ${name} ${Object.keys(spec).join(', ')}`.trimEnd());
    this.#server.create(claimObject(this.#server.now, name, { spec }));
  }

  expiring(name: string, inMs: number, shutdownPolicy: string): void {
    const shutdownTime = rfc3339(this.#server.now + inMs);
    this.claim(name, { lifecycle: { shutdownTime, shutdownPolicy } });
  }

  /** Somebody else writes it: what was decided on it meets a 409. */
  label(claim: string): void {
    this.record.acted(`${claim} gets a label`);
    const labels = { edited: String(this.second) };
    this.#server.edit({ kind: 'SandboxClaim', namespace, name: claim }, { metadata: { labels } });
  }

  scale(replicas: number): void {
    this.record.acted(`the pool is scaled to ${replicas}`);
    this.#server.edit(poolRef, { spec: { replicas } });
  }

  image(image: string): void {
    this.record.acted(`image ${image} in the template`);
    const podTemplate = { spec: { containers: [{ name: 'main', image }] } };
    const template = { kind: 'SandboxTemplate', namespace, name: 'template' } as const;
    this.#server.edit(template, { spec: { podTemplate } });
  }

  /** As soon as the assignment is stored. */
  deleteAssigned(): void {
    this.record.acted('the next Sandbox that is assigned is deleted by somebody at once');
    this.#atAssignment = (name) => this.#server.remove({ kind: 'Sandbox', namespace, name });
  }

  // -- the world ----------------------------------------------------------------------------------

  protected get version(): number {
    return this.#server.version;
  }

  protected get isQuiet(): boolean {
    return this.#process.isQuiet;
  }

  protected get inFlight(): readonly WriteIntent[] {
    return this.#process.writes.inFlight;
  }

  protected deliver(pick: number, isWhole: boolean): void {
    this.#process.deliver(pick, isWhole);
  }

  protected land(pick: number, fate: Fate): void {
    this.#process.land(pick, fate);
  }

  protected list(): void {
    this.#process.list();
  }

  /** Those that there are now and are not ready start; pods take until the next second. */
  protected steps(): (() => void)[] {
    const starts = this.#server
      .byKind('Sandbox')
      .filter((one) => !readyOf(one).startsWith('True'))
      .map(
        ({ metadata }) =>
          () =>
            this.#server.run(metadata.name, true),
      );
    return [() => this.#server.collect(), ...starts];
  }

  protected kill(isLate: (place: number) => boolean): void {
    this.#process.writes.end(isLate);
    this.#process = this.#start();
  }

  protected tick(): void {
    this.#server.now += 1_000;
    this.#process.pass();
  }

  #start(): Process {
    const process = new Process(this.#server, settings, {
      landed: (intent) => this.#landed(intent),
    });
    this.#hear = (object, isGone) => process.hear(object, isGone);
    return process.begin();
  }

  #landed(intent: WriteIntent): void {
    if (!this.isRecorded) return;
    this.record.written(intent, this.#last.get(intent.ref.name));
    const sandbox =
      intent.type === 'patchObject'
        ? text(at(intent.patch, 'metadata', 'annotations', annotation.assigned))
        : '';
    const happen = sandbox === '' ? undefined : this.#atAssignment;
    if (happen === undefined) return;
    this.#atAssignment = undefined;
    happen(sandbox);
  }
}

function readyOf({ status }: KubeObject): string {
  const ready = conditionsOf(status).find((one) => one['type'] === 'Ready');
  return `${text(ready?.['status'])} ${text(ready?.['reason'])}`.trim();
}
