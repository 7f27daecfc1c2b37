// A scenario as it runs: a set is deployed and at rest, then the user acts and time passes, second
// by second. In each the news, the answers to writes, the steps of pods and the collector come in
// an order that the seed draws, and all have come when it ends. Scenarios are told through it.
import type { Random } from '#actors/ports.ts';
import { at, list, object } from '#machines/kubernetes/json.ts';
import type { JsonObject, KubeObject } from '#machines/kubernetes/objects.ts';
import { PodJudge } from '#test/support/judge.ts';
import { LateWorld } from '#test/support/late-world.ts';
import { demoSet } from '#test/support/samples.ts';
import { TerminationJudge } from '#test/support/termination-judge.ts';
import { seeded } from '#test/support/virtual-clock.ts';
import { collect, runPod } from '#test/support/world-life.ts';
import { refOf } from '#test/support/world-store.ts';
import { leftByGrove, updatingByGrove } from '../rollout/grove.ts';
import { cliqueOf, imageOf, isReady } from '../rollout/stage.ts';
import { type Moment, Record, templateOf } from './record.ts';

/** Of every set here, as `terminationDelay`. */
export const delayS = 60;
/** After a start, or a write that was not answered, there may be silence for so long. */
const quietS = 12;
const mostS = 400;

export class Run {
  readonly world: LateWorld;
  readonly #record = new Record();
  readonly #random: Random;
  readonly #judges = [new PodJudge(), new TerminationJudge(delayS * 1_000)] as const;
  #second = 0;
  #isRecorded = false;
  #restartsAt: number | undefined;
  /** Whether a pod can be placed. */
  room: (pod: KubeObject) => boolean = () => true;
  /** Templates whose pods do not become ready. */
  readonly broken = new Set<string>();
  /** Hostnames of pods that nobody ends. */
  readonly #lost = new Set<string>();

  constructor(set: KubeObject, seed: number) {
    this.#random = seeded(seed);
    this.world = new LateWorld({
      restarted: () => this.#judges.forEach((judge) => judge.restarted()),
      decided: (intent, world) => this.#judges.forEach((judge) => judge.decided(intent, world)),
      landed: (intent, world) => {
        this.#judges.forEach((judge) => judge.landed(intent, world));
        const uid = 'uid' in intent ? intent.uid : '';
        const known = [...world.known].find(({ metadata }) => metadata.uid === uid);
        if (this.#isRecorded) this.#record.written(intent, known);
      },
    });
    this.world.store.create(set);
    this.rest();
    this.#second = 0;
    this.#isRecorded = true;
  }

  get violations(): readonly string[] {
    return this.#judges.flatMap(({ violations }) => violations);
  }

  get moments(): readonly Moment[] {
    return this.#record.moments;
  }

  /** Live pods by PodClique, with the templates that they are of, and the counters of the set. */
  end(): readonly string[] {
    const { store } = this.world;
    const cliques = store.all('PodClique').map(({ metadata }) => {
      const pods = this.#pods().filter((pod) => cliqueOf(pod) === metadata.name);
      const shown = pods.map((pod) => `${templateOf(imageOf(pod))}${isReady(pod) ? '' : '?'}`);
      return `${metadata.name} ${shown.toSorted().join(' ')}`.trimEnd();
    });
    const status = object(store.get('PodCliqueSet', 'demo')?.['status']);
    const counters = ['replicas', 'updatedReplicas', 'availableReplicas'];
    const said = counters.map((name) => `${name} ${String(status[name])}`);
    return [...cliques.toSorted(), said.join(', ')];
  }

  // -- what a user does, and what befalls pods ---------------------------------------------------

  /** Another template for these PodCliques, or for all. */
  template(letter: string, ...names: readonly string[]): void {
    this.#says(`template ${letter} for ${names.length === 0 ? 'all' : names.join(', ')}`);
    const image = `busybox:${letter.charCodeAt(0) - 64}`;
    const set = this.world.store.get('PodCliqueSet', 'demo');
    const cliques = list(at(set, 'spec', 'template', 'cliques')).map((one): JsonObject => {
      const clique = object(one);
      if (names.length > 0 && !names.includes(String(clique['name']))) return clique;
      const podSpec = { containers: [{ name: 'main', image }] };
      return { ...clique, spec: { ...object(clique['spec']), podSpec } };
    });
    this.world.store.edit(demoSet, { spec: { template: { cliques } } });
  }

  strategy(type: 'OnDelete' | 'RollingRecreate'): void {
    this.#says(`strategy ${type}`);
    this.world.store.edit(demoSet, { spec: { updateStrategy: { type } } });
  }

  pause(isPaused: boolean): void {
    this.#says(isPaused ? 'the update is paused' : 'the update goes on');
    const annotations = { 'grove.io/pause-update': isPaused ? 'true' : null };
    this.world.store.edit(demoSet, { metadata: { annotations } });
  }

  scale(kind: 'PodCliqueSet' | 'PodCliqueScalingGroup' | 'PodClique', name: string, to: number) {
    this.#says(`${kind} ${name} is scaled to ${to}`);
    this.world.store.edit({ kind, namespace: 'demo', name }, { spec: { replicas: to } });
  }

  /** By hand. */
  delete(host: string): void {
    this.#says(`pod ${host} is deleted`);
    this.world.store.remove(refOf(this.#pod(host)));
  }

  finish(host: string, phase: 'Failed' | 'Succeeded'): void {
    this.#says(`pod ${host} has ${phase.toLowerCase()}`);
    this.world.store.setPodStatus(this.#pod(host).metadata.name, { phase });
  }

  /** Its containers crash, and it stays. */
  sicken(host: string): void {
    this.#says(`pod ${host} is not ready any more`);
    const { metadata, status } = this.#pod(host);
    const containerStatuses = [{ name: 'main', started: true, ready: false }];
    const conditions = list(at(status, 'conditions'))
      .filter((one) => at(one, 'type') !== 'Ready')
      .map(object);
    this.world.store.setPodStatus(metadata.name, {
      ...object(status),
      conditions,
      containerStatuses,
    });
    this.#sick.add(metadata.uid ?? '');
  }

  readonly #sick = new Set<string>();

  /** With their node: they are told to go, and nobody ends them. */
  loseNode(...hosts: readonly string[]): void {
    this.#says(`the node of ${hosts.join(', ')} is lost`);
    for (const host of hosts) {
      const { metadata, ...pod } = this.#pod(host);
      this.#lost.add(metadata.uid ?? '');
      this.world.store.remove(refOf({ ...pod, metadata }));
    }
  }

  /** The pods of a lost node are taken away. */
  forgetNode(): void {
    this.#says('the lost node is taken away');
    this.#lost.clear();
  }

  cordon(isCordoned: boolean): void {
    this.#says(isCordoned ? 'there is no room for a pod more' : 'there is room again');
    this.room = () => !isCordoned;
  }

  /** In the middle of the next second. */
  restart(): void {
    this.#says('the controller is killed and starts again');
    this.#restartsAt = this.#draw(12);
  }

  /** Another process that knows the same objects, as Grove would have left them. */
  takeOverFromGrove(): void {
    this.#says('Grove has done all of this so far, and Coppice takes over');
    leftByGrove(this.world.store);
    updatingByGrove(this.world.store);
    this.world.restart(0, this.#shuffled);
  }

  // -- time ---------------------------------------------------------------------------------------

  pass(seconds: number): void {
    for (let second = 0; second < seconds; second++) this.#live();
  }

  /** Until nothing changes any more. */
  rest(): void {
    let quiet = 0;
    for (let second = 0; second < mostS && quiet < quietS; second++) {
      const before = this.world.store.version;
      this.#live();
      quiet = this.world.store.version === before ? quiet + 1 : 0;
    }
    if (quiet < quietS) throw new Error(`no rest after ${mostS} s`);
  }

  #live(): void {
    const { store } = this.world;
    this.#mix(this.#shuffled([() => collect(store), ...this.#steps()]));
    // What was refused, since news were late, is tried again.
    for (let ms = 1; ms <= 20; ms++) {
      this.world.pass(1);
      this.#mix([]);
    }
    if (this.#isRecorded) this.#record.close(this.#second);
    this.#second++;
    this.world.pass(980);
  }

  /** In any order, until all has arrived. */
  #mix(steps: (() => void)[]): void {
    const { store } = this.world;
    let restartsAt = this.#restartsAt ?? -1;
    this.#restartsAt = undefined;
    const isBusy = (): boolean =>
      steps.length > 0 || restartsAt >= 0 || !store.isQuiet || this.world.inFlight.length > 0;
    while (isBusy()) {
      if (restartsAt-- === 0) this.world.restart(this.#draw(65_536), this.#shuffled);
      const dice = this.#draw(3);
      if (dice === 0) steps.pop()?.();
      else if (dice === 1) this.world.deliver(this.#draw(1_000), this.#draw(2) === 0);
      else this.world.land(this.#draw(1_000), 'answered');
    }
  }

  #draw(below: number): number {
    return Math.floor(this.#random.next() * below);
  }

  /** One of each pod that there is now, by what it is now: a gate that opens meanwhile lets it go
   *  on in the next second. */
  #steps(): readonly (() => void)[] {
    const { store } = this.world;
    return store.all('Pod').map((before) => () => {
      const { name, uid = '' } = before.metadata;
      const pod = store.get('Pod', name);
      if (pod?.metadata.uid !== uid || this.#lost.has(uid)) return;
      if (pod.metadata.deletionTimestamp !== undefined) return runPod(store, pod);
      if (this.#sick.has(uid) || (isGated(before) && !isGated(pod))) return;
      const isPlaced = at(pod, 'spec', 'nodeName') !== undefined;
      const isStuck = isPlaced ? this.broken.has(templateOf(imageOf(pod))) : !this.room(pod);
      if (!isStuck) runPod(store, pod);
    });
  }

  readonly #shuffled = <T>(items: readonly T[]): T[] =>
    items
      .map((item) => [this.#random.next(), item] as const)
      .toSorted(([one], [other]) => one - other)
      .map(([, item]) => item);

  #says(what: string): void {
    this.#record.acted(what);
  }

  #pods(): readonly KubeObject[] {
    return this.world.store
      .all('Pod')
      .filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  }

  #pod(host: string): KubeObject {
    const pod = this.#pods().find((one) => at(one, 'spec', 'hostname') === host);
    if (pod === undefined) throw new Error(`there is no pod ${host}`);
    return pod;
  }
}

const isGated = (pod: KubeObject): boolean => list(at(pod, 'spec', 'schedulingGates')).length > 0;
