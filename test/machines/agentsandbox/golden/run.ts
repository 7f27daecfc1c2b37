// A scenario of warm pools as it runs: a pool is full and at rest, then users act and time passes,
// second by second. In each the news, the answers to writes, pods that start and the collector come
// in an order that the seed draws, and all have come when it ends. Scenarios are told through it.
import type { Random } from '#actors/ports.ts';
import type { JsonObject, KubeObject } from '#machines/kubernetes/objects.ts';
import { controllerOf } from '#machines/kubernetes/objects.ts';
import { conditionsOf } from '#machines/kubernetes/conditions.ts';
import { annotation } from '#machines/agentsandbox/objects/labels.ts';
import { at, text } from '#machines/kubernetes/json.ts';
import { rfc3339 } from '#machines/kubernetes/time.ts';
import type { Fate } from '#test/support/late-writes.ts';
import { seeded } from '#test/support/virtual-clock.ts';
import type { WriteIntent } from '#test/support/world-store.ts';
import type { Moment } from '../../grove/golden/record.ts';
import { Judge } from '../claim/judge.ts';
import { claimObject, poolObject, settings, templateObject } from '../claim/objects.ts';
import { wrongIn } from '../claim/outcome.ts';
import { Process } from '../claim/process.ts';
import { Server } from '../claim/server.ts';
import { Record } from './record.ts';

/** After a write that was not answered there may be silence for so long. */
const quietS = 5;
const mostS = 120;
const namespace = 'demo';
const poolRef = { kind: 'SandboxWarmPool', namespace, name: 'pool' } as const;

export class Run {
  readonly #server = new Server();
  /** Throws where what must hold at every moment does not. */
  readonly judge = new Judge(this.#server);
  readonly #record = new Record();
  readonly #random: Random;
  #process: Process;
  #hear: (object: KubeObject, isGone: boolean) => void = () => {};
  #second = 0;
  #isRecorded = false;
  #restartsAt: number | undefined;
  /** What comes of the next writes that it is asked about. */
  readonly #fates: { readonly of: (intent: WriteIntent) => boolean; fate: Fate }[] = [];
  /** Sandboxes as they were last, by name. */
  readonly #last = new Map<string, KubeObject>();
  /** Called once when a claim has an assignment. */
  #atAssignment: ((sandbox: string) => void) | undefined;

  constructor(pool: Parameters<typeof poolObject>[0], seed: number) {
    this.#random = seeded(seed);
    this.#server.watchers.add((object, isGone) => {
      const { kind, metadata } = object;
      if (kind === 'Sandbox' && !isGone) this.#last.set(metadata.name, object);
      this.#hear(object, isGone);
    });
    this.#process = this.#start();
    this.#server.create(templateObject());
    this.#server.create(poolObject(pool));
    this.rest();
    this.#second = 0;
    this.#isRecorded = true;
  }

  /** What is wrong in the end. */
  wrong(replicas: number): readonly string[] {
    return wrongIn(this.#server, this.#process, { replicas });
  }

  get moments(): readonly Moment[] {
    return this.#record.moments;
  }

  /** What claims say and have, and the members. */
  end(): readonly string[] {
    const claims = this.#server.byKind('SandboxClaim').map((claim) => {
      const { name } = claim.metadata;
      const bound = text(at(claim, 'status', 'sandbox', 'name'));
      const has = bound === '' ? 'none' : this.#record.letterOf(name, bound);
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
    this.#record.acted(`claim ${name} ${Object.keys(spec).join(', ')}`.trimEnd());
    this.#server.create(claimObject(this.#server.now, name, { spec }));
  }

  expiring(name: string, inMs: number, shutdownPolicy: string): void {
    const shutdownTime = rfc3339(this.#server.now + inMs);
    this.claim(name, { lifecycle: { shutdownTime, shutdownPolicy } });
  }

  /** Somebody else writes it: what was decided on it meets a 409. */
  label(claim: string): void {
    this.#record.acted(`${claim} gets a label`);
    const labels = { edited: String(this.#second) };
    this.#server.edit({ kind: 'SandboxClaim', namespace, name: claim }, { metadata: { labels } });
  }

  scale(replicas: number): void {
    this.#record.acted(`the pool is scaled to ${replicas}`);
    this.#server.edit(poolRef, { spec: { replicas } });
  }

  image(image: string): void {
    this.#record.acted(`image ${image} in the template`);
    const podTemplate = { spec: { containers: [{ name: 'main', image }] } };
    const template = { kind: 'SandboxTemplate', namespace, name: 'template' } as const;
    this.#server.edit(template, { spec: { podTemplate } });
  }

  /** As soon as the assignment is stored. */
  deleteAssigned(): void {
    this.#record.acted('the next Sandbox that is assigned is deleted by somebody at once');
    this.#atAssignment = (name) => this.#server.remove({ kind: 'Sandbox', namespace, name });
  }

  /** So many creates of Sandboxes are done, and nobody is told. */
  loseReplies(many: number): void {
    this.#record.acted(`the next ${many} replies to creates are lost`);
    for (let count = 0; count < many; count++) {
      this.#fates.push({ of: ({ type }) => type === 'createObject', fate: 'lost reply' });
    }
  }

  /** In the middle of what happens next. */
  restart(): void {
    this.#record.acted('the controller is killed and starts again');
    this.#restartsAt = this.#draw(24);
  }

  // -- time ---------------------------------------------------------------------------------------

  pass(seconds: number): void {
    for (let second = 0; second < seconds; second++) this.#live();
  }

  /** Until nothing changes any more. */
  rest(): void {
    let quiet = 0;
    for (let second = 0; second < mostS && quiet < quietS; second++) {
      const before = this.#server.version;
      this.#live();
      quiet = this.#server.version === before ? quiet + 1 : 0;
    }
    if (quiet < quietS) throw new Error(`no rest after ${mostS} s`);
  }

  #live(): void {
    this.#mix(this.#shuffled([() => this.#server.collect(), ...this.#starts()]));
    if (this.#isRecorded) this.#record.close(this.#second);
    this.#second++;
    this.#server.now += 1_000;
    this.#process.pass();
  }

  /** In any order, until all has arrived. */
  #mix(steps: (() => void)[]): void {
    let restartsAt = this.#restartsAt ?? -1;
    this.#restartsAt = undefined;
    while (steps.length > 0 || restartsAt >= 0 || !this.#process.isQuiet) {
      if (restartsAt-- === 0) this.#kill();
      const dice = this.#draw(4);
      if (dice === 0) steps.pop()?.();
      else if (dice === 1) this.#process.deliver(this.#draw(1_000), this.#draw(2) === 0);
      else if (dice === 2) this.#land();
      else this.#process.list();
    }
  }

  #land(): void {
    const { inFlight } = this.#process.writes;
    if (inFlight.length === 0) return;
    const pick = this.#draw(inFlight.length);
    const place = this.#fates.findIndex(({ of }) => inFlight.slice(pick, pick + 1).some(of));
    const [next] = place < 0 ? [] : this.#fates.splice(place, 1);
    this.#process.land(pick, next?.fate ?? 'answered');
  }

  /** Those that there are now and are not ready; pods take until the next second. */
  #starts(): readonly (() => void)[] {
    return this.#server
      .byKind('Sandbox')
      .filter((one) => !readyOf(one).startsWith('True'))
      .map(
        ({ metadata }) =>
          () =>
            this.#server.run(metadata.name, true),
      );
  }

  #start(): Process {
    const process = new Process(this.#server, settings, {
      landed: (intent) => this.#landed(intent),
    });
    this.#hear = (object, isGone) => process.hear(object, isGone);
    return process.begin();
  }

  /** Some of what it had under way is done all the same. */
  #kill(): void {
    const bits = this.#draw(65_536);
    this.#process.writes.end((place) => ((bits >> (place % 16)) & 1) === 1);
    this.#process = this.#start();
  }

  #landed(intent: WriteIntent): void {
    if (!this.#isRecorded) return;
    this.#record.written(intent, this.#last.get(intent.ref.name));
    const sandbox =
      intent.type === 'patchObject'
        ? text(at(intent.patch, 'metadata', 'annotations', annotation.assigned))
        : '';
    const happen = sandbox === '' ? undefined : this.#atAssignment;
    if (happen === undefined) return;
    this.#atAssignment = undefined;
    happen(sandbox);
  }

  #draw(below: number): number {
    return Math.floor(this.#random.next() * below);
  }

  readonly #shuffled = <T>(items: readonly T[]): T[] =>
    items
      .map((item) => [this.#random.next(), item] as const)
      .toSorted(([one], [other]) => one - other)
      .map(([, item]) => item);
}

function readyOf({ status }: KubeObject): string {
  const ready = conditionsOf(status).find((one) => one['type'] === 'Ready');
  return `${text(ready?.['status'])} ${text(ready?.['reason'])}`.trim();
}
