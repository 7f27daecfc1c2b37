// Requests of several workers in random orders of all that happens: arrivals, cancels, ends, pods
// that come and go, messages that are late by any time, and workers that die. No pod ever has more
// requests than its limit, as the workers see it; each request gets one answer; and at the end
// nothing is held.
import { describe, expect, it } from 'vitest';
import type { PodTarget } from '#machines/activator/table.ts';
import { microsOf } from '#machines/activator/time.ts';
import type { Ticket, WaitHandler } from '#src/activator/admission/types.ts';
import { RevisionPlane } from '#src/activator/data-plane.ts';
import { Figures } from '#src/activator/proxy/figures.ts';
import { defaultRules } from '#src/activator/proxy/rules.ts';
import { HeldRequests } from '#src/activator/workers/held-requests.ts';
import type { OfRequest, ToRequest } from '#src/activator/workers/messages.ts';
import { RemoteRevisions } from '#src/activator/workers/revisions.ts';
import { revisionKey } from '#test/machines/activator/objects.ts';
import { seeded } from '#test/support/virtual-clock.ts';

const { namespace, name } = revisionKey;
const key = `${namespace}/${name}`;
const most = 8;

type Random = ReturnType<typeof seeded>;
const below = (random: Random, bound: number): number => Math.floor(random.next() * bound);

/** A request as its client and its worker see it. */
class Request implements WaitHandler {
  readonly worker: Side;
  state: 'waits' | 'has a pod' | 'is over' = 'waits';
  answers = 0;
  dest = '';
  ticket: Ticket | undefined;
  #index = 0;

  constructor(worker: Side) {
    this.worker = worker;
    worker.revisions.begun(key);
    const ticket = worker.requests.wait(this);
    if (typeof ticket !== 'string') this.ticket = ticket;
  }

  granted(index: number): void {
    this.answers++;
    this.state = 'has a pod';
    this.#index = index;
    this.dest = this.worker.requests.admission.table.destOf(index);
  }

  refused(): void {
    this.answers++;
    this.#end('refused', 503);
  }

  cancel(): void {
    const { ticket } = this;
    if (!ticket || !this.worker.requests.admission.cancel(ticket)) throw new Error('not waiting');
    this.#end('cancelled', 0);
  }

  complete(): void {
    this.worker.requests.admission.complete(this.#index, 0);
    this.#end('answered', 200);
  }

  #end(ending: 'answered' | 'cancelled' | 'refused', status: number): void {
    this.state = 'is over';
    this.worker.revisions.figures.of(namespace, name).ended(ending, status, 1);
  }
}

/** One worker, the held that holds its requests, and what is between them. */
class Side {
  readonly toProcess: OfRequest[] = [];
  readonly toWorker: ToRequest[] = [];
  readonly revisions = new RemoteRevisions((message) => void this.toProcess.push(message));
  readonly held: HeldRequests;
  requestsMade: Request[] = [];

  constructor(world: Pick<World, 'plane' | 'figures' | 'demand'>) {
    const { plane, figures, demand } = world;
    this.held = new HeldRequests({
      plane,
      figures,
      demand,
      rules: () => undefined,
      podNameOf: () => '',
      say: (message) => void this.toWorker.push(message),
    });
    this.revisions.hear({ type: 'revision', namespace, name, rules: defaultRules });
  }

  get requests() {
    const found = this.revisions.find(namespace, name);
    if (found === undefined) throw new Error('the worker does not know the revision');
    return found;
  }

  /** One message in one of the two directions; false: there is none. */
  deliver(isUp: boolean): boolean {
    const message = isUp ? this.toProcess.shift() : undefined;
    if (message !== undefined) {
      this.held.take(message);
      return true;
    }
    const answer = this.toWorker.shift();
    if (answer !== undefined) this.revisions.hear(answer);
    return answer !== undefined;
  }
}

class World {
  readonly random: Random;
  readonly limit: number;
  readonly figures = new Figures();
  under = 0;
  readonly demand = { begun: () => void this.under++, ended: () => void this.under-- };
  readonly plane: RevisionPlane;
  sides: Side[];
  #soon: (() => void)[] = [];
  #version = 0;

  constructor(seed: number, limit?: number) {
    this.random = seeded(seed);
    this.limit = limit ?? 1 + below(this.random, 3);
    this.plane = new RevisionPlane({
      clock: { soon: (run) => void this.#soon.push(run) },
      random: this.random,
      probe: () => Promise.resolve({ isOk: true, id: undefined }),
      log: () => {},
      signal: () => {},
    });
    const limits = { limit: this.limit, maxScale: 0 };
    this.plane.carryOut(revisionKey, { type: 'openTable', ...limits, policy: undefined });
    this.setPods();
    this.sides = [new Side(this), new Side(this), new Side(this)];
  }

  get requests(): readonly Request[] {
    return this.sides.flatMap(({ requestsMade }) => requestsMade);
  }

  setPods(count = below(this.random, 4)): void {
    const pods = Array.from({ length: count }, (_, at): PodTarget => {
      const host = `10.0.0.${below(this.random, 3) + 3 * at}:80`;
      return { dest: host, id: host, state: 'ready' };
    });
    const version = ++this.#version;
    const now = microsOf(version);
    this.plane.carryOut(revisionKey, { type: 'setPods', pods, version, now });
  }

  step(): void {
    const { random } = this;
    const side = this.sides[below(random, this.sides.length)];
    const mine = side?.requestsMade.filter(({ state }) => state !== 'is over') ?? [];
    const one = mine[below(random, mine.length)];
    const choice = below(random, 100);
    if (choice < 25 && side && mine.length < most) side.requestsMade.push(new Request(side));
    else if (choice < 30 && one?.state === 'waits') one.cancel();
    else if (choice < 45 && one?.state === 'has a pod') one.complete();
    else if (choice < 48) this.setPods();
    else if (choice < 50) this.kill(below(random, this.sides.length));
    else if (choice < 55) this.turn();
    else side?.deliver(random.next() < 0.5);
    this.check();
  }

  kill(at: number): void {
    this.sides[at]?.held.close();
    this.sides[at] = new Side(this);
  }

  turn(): void {
    for (const run of this.#soon.splice(0)) run();
  }

  check(): void {
    const held = new Map<string, number>();
    for (const { state, dest } of this.requests) {
      if (state === 'has a pod') held.set(dest, (held.get(dest) ?? 0) + 1);
    }
    const isOver = [...held.values()].some((count) => count > this.limit);
    const wrong = this.plane.find(namespace, name)?.admission.table.audit() ?? [];
    if (isOver || wrong.length > 0) throw new Error(JSON.stringify({ wrong, held: [...held] }));
  }

  /** Until nothing happens any more. */
  finish(pods = 2): void {
    this.setPods(pods);
    for (let isOver = false; !isOver;) {
      isOver = true;
      this.turn();
      for (const side of this.sides) {
        while (side.deliver(true)) isOver = false;
        for (const one of side.requestsMade) {
          if (one.state !== 'has a pod') continue;
          one.complete();
          isOver = false;
        }
      }
    }
  }
}

describe('Requests of several workers', () => {
  it('get one answer each and no pod too many, and leave nothing, in 300 random histories', () => {
    for (let seed = 1; seed <= 300; seed++) {
      const world = new World(seed);
      for (let step = 0; step < 300; step++) world.step();
      world.finish();
      const { active, waiting } = {
        active: world.plane.find(namespace, name)?.admission.table.figures.active,
        waiting: world.plane.find(namespace, name)?.admission.figures.waiting,
      };
      const { queued, active: counted, underWay } = world.figures.of(namespace, name);
      const left = { active, waiting, queued, counted, underWay, demand: world.under };
      expect(left, `seed ${seed}`).toEqual({
        active: 0,
        waiting: 0,
        queued: 0,
        counted: 0,
        underWay: 0,
        demand: 0,
      });
      for (const { answers, state } of world.requests) {
        expect(state).toBe('is over');
        expect(answers).toBeLessThanOrEqual(1);
      }
    }
  });

  it('get pods in the order in which they asked, whoever their worker is', () => {
    const world = new World(1, 1);
    world.setPods(0);
    const order: Request[] = [];
    const asked = Array.from({ length: 12 }, (_, at) => {
      const side = world.sides[(at * 2) % 3] ?? new Side(world);
      const request = new Request(side);
      request.granted = (index) => {
        order.push(request);
        Request.prototype.granted.call(request, index);
      };
      side.requestsMade.push(request);
      while (side.deliver(true));
      return request;
    });
    world.finish(1);
    expect(order.map((one) => asked.indexOf(one))).toEqual(asked.map((_, at) => at));
  });
});
