// Whatever the server and the network do, what a reflector tells leads to exactly the objects that
// are there in the end, and on the way never to one that had ended.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Observation } from '#actors/ports.ts';
import type { KubeObject } from '#machines/kubernetes/objects.ts';
import { compareVersions } from '#machines/kubernetes/versions.ts';
import { Reflector } from '#src/kube/watch/reflector.ts';
import { seeded, VirtualClock } from '#test/support/virtual-clock.ts';
import { HistoryServer } from './support/history-server.ts';

const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];

/** A cache as the runtime keeps it: it believes what it is told, newest version first. */
class Cache {
  readonly objects = new Map<string, KubeObject>();
  readonly ended = new Set<string>();

  apply(observation: Observation): void {
    if (observation.type === 'seen') return this.put(observation.object);
    const { name } = observation.ref;
    this.ended.add(observation.uid);
    if (this.objects.get(name)?.metadata.uid === observation.uid) this.objects.delete(name);
  }

  put(object: KubeObject): void {
    const { name, resourceVersion = '' } = object.metadata;
    const known = this.objects.get(name)?.metadata.resourceVersion ?? '0';
    if ((compareVersions(resourceVersion, known) ?? 1) > 0) this.objects.set(name, object);
  }
}

interface World {
  readonly clock: VirtualClock;
  readonly server: HistoryServer;
  readonly reflector: Reflector;
  readonly cache: Cache;
}

type Replies = 'none' | 'late' | 'echoed';

function start(seed: number, replies: Replies): World {
  const clock = new VirtualClock();
  const random = seeded(seed);
  const server = new HistoryServer(clock, random, names);
  const cache = new Cache();
  const observe = (observation: Observation): void => {
    if (observation.type === 'gone') {
      expect(server.isAlive(observation.uid), `${observation.uid} is alive`).toBe(false);
    } else {
      const { name, uid = '' } = observation.object.metadata;
      expect(cache.ended.has(uid), `${uid} came back from the dead`).toBe(false);
      const holder = cache.objects.get(name)?.metadata.uid ?? uid;
      expect(holder, `${uid} took the name of one that has not ended`).toBe(uid);
    }
    cache.apply(observation);
  };
  const echoed = replies === 'echoed' ? { echoed: () => echoes++ } : {};
  const options = { transport: server, clock, random, log: logged(seed), pageSize: 3, ...echoed };
  return { clock, server, reflector: new Reflector('PodClique', observe, options), cache };
}

/** A reflector survives what its listener throws; a broken expectation must not go under there. */
let broken: string[] = [];
/** Events that nobody looked at. */
let echoes = 0;
const logged =
  (seed: number) =>
  (level: string, _message: string, fields: { readonly [field: string]: unknown }): void => {
    if (level === 'error') broken.push(`seed ${seed}: ${String(fields['error'])}`);
  };

const summary = (objects: ReadonlyMap<string, KubeObject>): string[] =>
  [...objects.values()]
    .map(({ metadata }) => `${metadata.name} ${metadata.uid} ${metadata.resourceVersion}`)
    .toSorted();

async function live(seed: number, replies: Replies): Promise<World> {
  const world = start(seed, replies);
  const { clock, server, reflector, cache } = world;
  const random = seeded(seed + 1);
  reflector.resume();
  for (let step = 0; step < 80; step++) {
    const reply = server.change();
    if (replies !== 'none' && reply !== undefined && random.next() < 0.5) {
      const ms = random.next() * (replies === 'late' ? 2_000 : 100);
      clock.at(clock.now() + ms, () => hearReply(reflector, cache, reply));
    }
    if (random.next() < 0.05) server.compact();
    if (random.next() < 0.03) reflector.pause();
    else reflector.resume();
    await clock.advance(random.next() < 0.1 ? 90_000 : random.next() * 1_000);
  }
  server.trouble = 0;
  reflector.resume();
  await clock.advance(240_000);
  reflector.stop();
  // What the server had under way comes to its end; nothing of the reflector is left.
  await clock.advance(1_000);
  return world;
}

/** As client.ts does it: first what the reply proves, then the reply, then what overtook it. */
function hearReply(reflector: Reflector, cache: Cache, reply: KubeObject): void {
  const { replaced, overtaken } = reflector.learn(reply);
  if (replaced !== undefined) cache.apply(replaced);
  cache.put(reply);
  if (overtaken !== undefined) cache.apply(overtaken);
}

test.each([
  ['alone', 'none'],
  ['together with replies to writes that come late', 'late'],
  ['together with replies whose echoes are not looked at', 'echoed'],
] as const)(
  'observations %s converge to the state of the server and lose no delete',
  async (_what, replies) => {
    echoes = 0;
    await fc.assert(
      fc.asyncProperty(fc.integer(), async (seed) => {
        broken = [];
        const { server, cache, clock } = await live(seed, replies);
        expect(broken).toEqual([]);
        expect(summary(cache.objects)).toEqual(summary(server.at()));
        expect(clock.pending).toBe(0);
      }),
      // A stale list, then one that breaks off, then another stale one, is no lost history.
      { numRuns: 40, examples: [[1335732043]] },
    );
    expect(echoes > 100).toBe(replies === 'echoed');
  },
);
