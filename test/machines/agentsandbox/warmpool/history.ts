// A random history of one warm pool: its actor between a watch that is late and writes that fail or
// whose replies are lost, in a world in which claims take members, people edit and delete, pods
// come and go, and the controller crashes.
import { controllerOf } from '#machines/kubernetes/objects.ts';
import { isStale } from '#machines/agentsandbox/objects/blueprint.ts';
import { readSandbox } from '#machines/agentsandbox/objects/sandbox.ts';
import { readTemplate } from '#machines/agentsandbox/objects/template.ts';
import { PoolController } from './controller.ts';
import { readyStatus } from './objects.ts';
import { ModelServer, type WriteIntent } from './server.ts';
import { poolKey, templateKey, World } from './world.ts';

export class History extends World {
  writes = 0;
  /** The most members that were wanted at any time since a write was asked for. */
  readonly #wantedSince = new Map<WriteIntent, number>();
  #controller: PoolController;
  #isCalm = false;

  constructor(seed: number) {
    super(seed);
    this.#controller = new PoolController(this.settings);
  }

  run(steps: number): void {
    for (let step = 0; step < steps; step++) {
      this.#step();
      this.#checkCounts();
    }
  }

  #step(): void {
    const dice = this.random();
    if (dice < 0.3) return this.#deliver(this.pick([...this.late.keys()]));
    if (dice < 0.5) return this.#reconcile();
    if (dice < 0.6) return this.#sendSome();
    if (dice < 0.8) return this.#serve(this.pick([...this.#controller.flying.keys()]));
    if (dice < 0.82) return this.#crash();
    if (dice < 0.86) return void (this.server.now += Math.floor(this.random() * 90_000));
    this.environment();
  }

  #deliver(key: string | undefined): void {
    if (key === undefined) return;
    const [first, ...rest] = this.late.get(key) ?? [];
    if (rest.length === 0) this.late.delete(key);
    else this.late.set(key, rest);
    if (first !== undefined) this.#controller.see(first.object, first.isGone);
  }

  #reconcile(): void {
    this.#controller.reconcile(this.server.now);
    const wanted = this.#controller.context.pool?.replicas ?? 0;
    const { queued, flying } = this.#controller;
    for (const intent of [...[...queued.values()].map((one) => one.intent), ...flying.values()]) {
      this.#wantedSince.set(intent, Math.max(wanted, this.#wantedSince.get(intent) ?? 0));
    }
  }

  #sendSome(): void {
    for (const key of [...this.#controller.queued.keys()]) {
      if (this.#isCalm || this.random() < 0.7) this.#controller.send(key);
    }
  }

  #serve(key: string | undefined): void {
    const intent = key === undefined ? undefined : this.#controller.flying.get(key);
    if (key === undefined || intent === undefined) return;
    const dice = this.#isCalm ? 1 : this.random();
    const { now } = this.server;
    const nothing = { code: undefined, object: undefined };
    if (dice < 0.06) return this.#controller.answer(key, nothing, now, 'FORBIDDEN');
    if (dice < 0.1) return this.#controller.answer(key, nothing, now, 'UNREACHABLE');
    const reply = this.#write(intent);
    this.#controller.answer(key, reply, now, dice < 0.18 ? 'UNREACHABLE' : undefined);
  }

  #write(intent: WriteIntent): ReturnType<ModelServer['write']> {
    this.writes++;
    const key = `${intent.ref.kind}/${intent.ref.name}`;
    const before = this.server.objects.get(key);
    const reply = this.server.write(intent);
    const after = this.server.objects.get(key);
    const isDone = reply.code === undefined && before !== after;
    this.note(`${intent.type} ${key}: ${reply.code ?? (isDone ? 'done' : 'no change')}`);
    const owner = before === undefined ? undefined : controllerOf(before)?.kind;
    if (intent.type === 'deleteObject') {
      this.judged.deletes++;
      if (owner === 'SandboxClaim' && isDone) throw new Error(`G1: ${key} was a claim's`);
      if (owner === 'SandboxClaim') this.judged.saved++;
    }
    const isMore = isDone && after !== undefined && controllerOf(after)?.uid === 'uid-pool';
    if (intent.ref.kind === 'Sandbox' && isMore && owner === undefined) this.#checkCreated(intent);
    return reply;
  }

  #checkCreated(intent: WriteIntent): void {
    this.judged.creates++;
    const there = this.server.controlled('uid-pool').length;
    // More may have been wanted since it was asked for, and have been created before it.
    const now = this.#controller.context.pool?.replicas ?? 0;
    const wanted = Math.max(now, this.#wantedSince.get(intent) ?? 0);
    if (there > wanted) throw new Error(`P9: ${there} members where ${wanted} were wanted`);
  }

  /** What the old one has sent arrives before the new one lists, or never; or after it has planned:
   *  then it is one with what the new one asks for. Which the server cannot tell where numbers in
   *  between are gone: such a write is left out, as a takeover lists after the last one. */
  #crash(): void {
    const isLate = this.random() < 0.5;
    this.note(isLate ? 'crash, and writes are on their way' : 'crash');
    const onTheirWay = [...this.#controller.flying.values()].filter(() => this.random() < 0.7);
    if (!isLate) for (const intent of onTheirWay) this.#write(intent);
    this.late.clear();
    this.#controller = new PoolController(this.settings);
    for (const object of this.server.objects.values()) this.#controller.see(object);
    if (!isLate) return;
    this.#reconcile();
    for (const intent of onTheirWay) {
      const key = `${intent.ref.kind}/${intent.ref.name}`;
      const isAsked = this.#controller.queued.get(key)?.intent.type === 'createObject';
      if (intent.type === 'createObject') this.judged[isAsked ? 'agreed' : 'other']++;
      if (isAsked || intent.type !== 'createObject') this.#write(intent);
    }
  }

  /** What is kept by difference is what a count would say. */
  #checkCounts(): void {
    const { members, pool, counts, removal, ready, unready } = this.#controller.context;
    const own = members.values().filter(({ controller }) => controller?.uid === pool?.uid);
    const active = own.filter(({ deleting, name }) => !deleting && !removal.chosen.has(name));
    const isReady = active.filter((one) => one.ready?.['status'] === 'True');
    const counted = {
      active: active.length,
      ready: isReady.length,
      terminating: own.length - active.length,
    };
    if (JSON.stringify(counted) !== JSON.stringify(counts)) {
      throw new Error(`counts ${JSON.stringify(counts)} and not ${JSON.stringify(counted)}`);
    }
    const queued = active.filter(({ podIPs }) => podIPs.length > 0).length;
    if (ready.size + unready.size !== queued) throw new Error(`${queued} are to be queued`);
  }

  /** Nothing happens any more but what the controller does. Throws where it does not come to
   *  rest. */
  end(): void {
    this.#isCalm = true;
    this.server.slow.clear();
    if (!this.server.objects.has(templateKey)) this.putTemplate('image-0');
    for (let round = 0; round < 400; round++) {
      const before = this.writes;
      for (const object of [...this.server.objects.values()]) {
        const key = ModelServer.keyOf(object);
        if (object.metadata.deletionTimestamp !== undefined) this.server.remove(key);
        else if (object.kind === 'Sandbox') {
          this.server.status(key, readyStatus('n1', 1_000_000));
        }
      }
      while (this.late.size > 0) this.#deliver([...this.late.keys()][0]);
      this.#reconcile();
      this.#sendSome();
      const { flying, queued } = this.#controller;
      for (const key of [...flying.keys()]) this.#serve(key);
      const open = flying.size + queued.size + this.late.size + this.#controller.paused.size;
      if (open === 0 && this.writes === before && this.#isOver()) return;
      this.server.now += 1_000;
    }
    throw new Error(
      `it does not come to rest: ${this.#controller.why(this.server.now).join('; ')}`,
    );
  }

  #isOver(): boolean {
    const { counts, pool, orphans } = this.#controller.context;
    const { ready, active, terminating } = counts;
    return ready === pool?.replicas && active === ready && terminating + orphans.size === 0;
  }

  /** What is wrong at rest. */
  problems(): readonly string[] {
    const { context } = this.#controller;
    const template = this.server.objects.get(templateKey);
    const there = this.server.controlled('uid-pool');
    const wanted = context.pool?.replicas ?? 0;
    const read = template === undefined ? undefined : readTemplate(template);
    const stale = there.filter((object) => {
      const sandbox = readSandbox(object);
      if (read === undefined || 'malformed' in read || 'malformed' in sandbox) return true;
      return context.pool?.strategy === 'Recreate' && isStale(sandbox, read);
    });
    const unowned = [...this.server.objects.values()].filter(
      (object) => object.kind === 'Sandbox' && controllerOf(object) === undefined,
    );
    const status = JSON.stringify(this.server.objects.get(poolKey)?.['status']);
    return [
      ...(there.length === wanted ? [] : [`${there.length} members and not ${wanted}`]),
      ...stale.map(({ metadata }) => `${metadata.name} is stale`),
      ...unowned.map(({ metadata }) => `${metadata.name} has no owner`),
      ...(status.includes(`"readyReplicas":${wanted},`) ? [] : [`the status is ${status}`]),
    ];
  }
}
