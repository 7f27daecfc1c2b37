// A random history of claims, a warm pool and its Sandboxes: watches that are late, writes whose
// answers are lost, crashes, and two processes that both think that the tree is theirs.
import { label } from '#machines/agentsandbox/objects/labels.ts';
import type { JsonObject, KubeObject } from '#machines/kubernetes/objects.ts';
import { rfc3339 } from '#machines/kubernetes/time.ts';
import type { Fate } from '#test/support/late-writes.ts';
import { opOf } from '#test/support/world-intents.ts';
import { Judge } from './judge.ts';
import { wrongIn } from './outcome.ts';
import { claimObject, poolObject, settings, templateObject } from './objects.ts';
import { Process } from './process.ts';
import { Server } from './server.ts';

export interface HistoryOptions {
  readonly seed: number;
  readonly steps: number;
  readonly replicas: number;
  readonly strategy: 'OnReplenish' | 'Recreate';
  /** Two processes may run at once. */
  readonly isSplit: boolean;
}

interface Running {
  readonly name: string;
  readonly process: Process;
  readonly hear: (object: KubeObject, isGone: boolean) => void;
}

const namespace = 'demo';

export class History {
  readonly server = new Server();
  readonly judge: Judge;
  readonly log: string[] = [];
  readonly #options: HistoryOptions;
  #running: Running[] = [];
  #claims = 0;
  #starts = 0;
  #state: number;

  constructor(options: HistoryOptions) {
    this.#options = options;
    this.#state = options.seed * 2_654_435_761;
    this.judge = new Judge(this.server);
    this.server.watchers.add((object, isGone) => {
      for (const { hear } of this.#running) hear(object, isGone);
    });
    this.server.create(templateObject());
    this.server.create(poolObject(options));
    this.#start();
    if (options.isSplit) this.#start();
  }

  /** mulberry32 */
  #random(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let t = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  }

  #below(count: number): number {
    return Math.floor(this.#random() * count);
  }

  #one<T>(items: readonly T[]): T | undefined {
    return items[this.#below(items.length)];
  }

  run(): void {
    for (let step = 0; step < this.#options.steps; step++) this.#step();
  }

  #step(): void {
    const dice = this.#random();
    if (dice < 0.36)
      return this.#any(({ process }) => process.deliver(this.#below(100), dice < 0.3));
    if (dice < 0.63) return this.#land();
    if (dice < 0.66) return this.#any(({ process }) => process.list(this.#random() < 0.2));
    if (dice < 0.7) return this.#pass([100, 100, 300, 700, 2_500][this.#below(5)] ?? 0);
    if (dice < 0.76) return this.#create();
    if (dice < 0.92) return this.#live();
    if (dice < 0.945) return this.#userOfClaims();
    if (dice < 0.955) return this.#userOfPools();
    if (dice < 0.97) return this.#say('collect', () => this.server.collect());
    return this.#process();
  }

  #say(what: string, act: () => void): void {
    this.log.push(what);
    act();
  }

  #any(act: (running: Running) => void): void {
    const one = this.#one(this.#running);
    if (one !== undefined) act(one);
  }

  #land(): void {
    this.#any(({ name, process }) => {
      const { inFlight } = process.writes;
      if (inFlight.length === 0) return;
      const pick = this.#below(inFlight.length);
      const dice = this.#random();
      const fate: Fate =
        dice < 0.8
          ? 'answered'
          : dice < 0.88
            ? 'lost reply'
            : dice < 0.95
              ? 'lost request'
              : 'refused';
      const intent = inFlight[pick];
      const what =
        intent === undefined ? '' : `${opOf[intent.type]} ${intent.ref.kind} ${intent.ref.name}`;
      this.#say(`${name}: ${what} ${fate}`, () => process.land(pick, fate));
    });
  }

  #pass(ms: number): void {
    this.#say(`${ms} ms pass`, () => {
      this.server.now += ms;
      for (const { process } of this.#running) process.pass();
    });
  }

  #create(): void {
    if (this.server.byKind('SandboxClaim').length >= 8) return;
    const name = `claim-${++this.#claims % 12}`;
    if (this.server.get('SandboxClaim', name) !== undefined) return;
    const dice = this.#random();
    const spec: JsonObject =
      dice < 0.1
        ? { env: [{ name: 'A', value: '1' }] }
        : dice < 0.2
          ? { additionalPodMetadata: { labels: { 'sandbox.users.io/a': 'b' } } }
          : dice < 0.3
            ? {
                lifecycle: {
                  shutdownTime: rfc3339(this.server.now + 1_000 * this.#below(8)),
                  shutdownPolicy: this.#one(['Delete', 'Retain', 'DeleteForeground']) ?? 'Retain',
                },
              }
            : {};
    this.#say(`create ${name} ${JSON.stringify(spec)}`, () =>
      this.server.create(claimObject(this.server.now, name, { spec })),
    );
  }

  /** A pod gets an address, is ready or not any more. */
  #live(): void {
    const name = this.#one(this.server.byKind('Sandbox'))?.metadata.name;
    if (name === undefined) return;
    const isReady = this.#random() < 0.85;
    this.#say(`${name} is ${isReady ? '' : 'un'}ready`, () => this.server.run(name, isReady));
  }

  #userOfClaims(): void {
    const dice = this.#random();
    const claim = this.#one(this.server.byKind('SandboxClaim'))?.metadata.name;
    const sandbox = this.#one(this.server.byKind('Sandbox'))?.metadata.name;
    if (dice < 0.4 && claim !== undefined) {
      const ref = { kind: 'SandboxClaim', namespace, name: claim } as const;
      return this.#say(`delete ${claim}`, () => this.server.remove(ref));
    }
    if (dice < 0.7 && claim !== undefined) {
      const labels = { [label.createdBy]: this.#one(['go-client', 'python-client', null]) ?? null };
      const ref = { kind: 'SandboxClaim', namespace, name: claim } as const;
      return this.#say(`label ${claim}`, () => this.server.edit(ref, { metadata: { labels } }));
    }
    if (sandbox === undefined) return;
    const ref = { kind: 'Sandbox', namespace, name: sandbox } as const;
    this.#say(`delete ${sandbox}`, () => this.server.remove(ref));
  }

  #userOfPools(): void {
    const dice = this.#random();
    const ref = { kind: 'SandboxWarmPool', namespace, name: 'pool' } as const;
    const template = { ...ref, kind: 'SandboxTemplate', name: 'template' } as const;
    const isPool = this.server.get('SandboxWarmPool', 'pool') !== undefined;
    const isTemplate = this.server.get('SandboxTemplate', 'template') !== undefined;
    if (!isPool) return this.#say('pool', () => this.server.create(poolObject(this.#options)));
    if (!isTemplate) return this.#say('template', () => this.server.create(templateObject()));
    if (dice < 0.15) return this.#say('delete pool', () => this.server.remove(ref));
    if (dice < 0.3) return this.#say('delete template', () => this.server.remove(template));
    if (dice < 0.7) {
      const replicas = this.#below(this.#options.replicas + 2);
      return this.#say(`scale to ${replicas}`, () => this.server.edit(ref, { spec: { replicas } }));
    }
    const image = `${this.#below(3)}`;
    const podTemplate = { spec: { containers: [{ name: 'main', image }] } };
    this.#say(`image ${image}`, () => this.server.edit(template, { spec: { podTemplate } }));
  }

  #process(): void {
    const { isSplit } = this.#options;
    const [first, ...others] = this.#running;
    if (first === undefined) return this.#start();
    if (isSplit && others.length === 0 && this.#random() < 0.5) return this.#start();
    this.#stop(first);
    if (this.#running.length === 0) this.#start();
  }

  #start(): void {
    const name = `process ${++this.#starts}`;
    const process = new Process(this.server, settings);
    const hear = (object: KubeObject, isGone: boolean): void => process.hear(object, isGone);
    this.#running.push({ name, process, hear });
    this.#say(`${name} starts`, () => void process.begin());
  }

  /** Some of what it had under way lands all the same. */
  #stop(running: Running): void {
    this.#running = this.#running.filter((one) => one !== running);
    const bits = this.#below(65_536);
    this.#say(`${running.name} is killed`, () =>
      running.process.writes.end((place) => ((bits >> (place % 16)) & 1) === 1),
    );
  }

  /** All is well from now on: one process, everything there, pods that start. */
  end(): void {
    for (const running of this.#running.slice(1)) this.#stop(running);
    const pool = { kind: 'SandboxWarmPool', namespace, name: 'pool' } as const;
    if (this.server.get('SandboxTemplate', 'template') === undefined) {
      this.server.create(templateObject());
    }
    if (this.server.get('SandboxWarmPool', 'pool') === undefined) {
      this.server.create(poolObject(this.#options));
    }
    this.server.edit(pool, { spec: { replicas: this.#options.replicas } });
    this.log.push('the end');
    for (let round = 0; round < 40; round++) {
      this.#rest();
      this.server.collect();
      for (const { metadata } of this.server.byKind('Sandbox')) {
        this.server.run(metadata.name, true);
      }
      this.#rest();
      const isDone = this.#running.every(({ process }) => process.isQuiet);
      const before = this.server.version;
      this.#pass(2_500);
      this.#rest();
      if (isDone && round > 6 && before === this.server.version) return;
    }
    throw new Error('it does not come to rest');
  }

  #rest(): void {
    for (const { process } of this.#running) {
      for (let round = 0; !process.isQuiet; round++) {
        if (round > 5_000) throw new Error('writes do not end');
        while (process.hasNews) process.deliver(0);
        if (process.writes.inFlight.length > 0) process.land(0, 'answered');
        else process.list();
      }
    }
  }

  get wrong(): readonly string[] {
    const process = this.#running[0]?.process;
    return process === undefined ? ['nobody runs'] : wrongIn(this.server, process, this.#options);
  }
}
