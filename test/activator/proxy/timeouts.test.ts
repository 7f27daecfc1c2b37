// How long a request may take: in all, until its answer begins, and between two bytes of it.
import { describe, expect, it } from 'vitest';
import { Deadlines, Limited } from '#src/activator/proxy/deadlines.ts';
import { readRules, RevisionRules } from '#src/activator/proxy/rules.ts';
import { revisionObject } from '#test/machines/activator/objects.ts';
import { type Handler, hello, podOf } from './support/backends.ts';
import { every, nowMs, until } from './support/client.ts';
import { headLines, TestPath } from './support/path.ts';

const forEver: Handler = () => undefined;

/** Begins an answer, and never ends it. */
const begins: Handler = (_, response) => void response.writeHead(200).write('begun ');

const timedOut = { status: 504, body: 'activator request timeout' };

const limitsLogged = (path: TestPath): readonly unknown[] =>
  path.logged('a request took too long').map((fields) => Object.entries(fields)[2]?.[1]);

describe('A request', () => {
  it('that takes longer than its revision allows is answered with 504 (H-103) (H-105)', async () => {
    const path = await TestPath.with(podOf(forEver), { rules: { maxMs: 30 } });
    await expect(path.ask()).resolves.toMatchObject(timedOut);
  });

  it('that waits for a pod until its time is over leaves the queue (H-4) (H-11)', async () => {
    const path = await TestPath.start({ rules: { maxMs: 30 } });
    await expect(path.ask()).resolves.toMatchObject(timedOut);
    expect(path.counted.queued).toBe(0);
    const pod = await podOf(hello);
    await path.add(pod);
    expect(pod.seen).toBe(0);
  });

  it('is cut at the end of its time even if its answer has begun (H-110)', async () => {
    const path = await TestPath.with(podOf(begins), { rules: { maxMs: 500 } });
    const client = path.raw(`GET / HTTP/1.1\r\n${headLines}\r\n`);
    const text = await client.closed();
    expect(text).toContain('begun ');
    expect(text).toContain('activator request timeout');
    expect(text).not.toContain('0\r\n\r\n');
    expect(path.counted.endings).toMatchObject({ cut: 1, refused: 0 });
  });

  it('has limits for its first byte and for silence that are apart from the whole (H-104)', async () => {
    const slow = await TestPath.with(podOf(forEver), { rules: { startMs: 30 } });
    await expect(slow.ask()).resolves.toMatchObject(timedOut);
    const silent = await TestPath.with(podOf(begins), { rules: { startMs: 5_000, idleMs: 400 } });
    const client = silent.raw(`GET / HTTP/1.1\r\n${headLines}\r\n`);
    await expect(client.closed()).resolves.toContain('begun ');
    expect(limitsLogged(silent)).toEqual(['idleTimeoutSeconds']);
  });

  it('whose answer began is not ended by the limit of its first byte (H-109)', async () => {
    const ends: (() => void)[] = [];
    const pod = podOf((_, response) => {
      response.writeHead(200).write('begun ');
      ends.push(() => void response.end('and ended'));
    });
    const other = await podOf(forEver);
    const path = await TestPath.with(pod, { limit: 1, rules: { startMs: 50 } });
    const first = path.ask();
    await until(() => ends.length === 1);
    // Another request with the same limit has met it: so has the first one, had it not begun.
    await path.add(other);
    await expect(path.ask()).resolves.toMatchObject(timedOut);
    ends[0]?.();
    await expect(first).resolves.toMatchObject({ status: 200, body: 'begun and ended' });
  });

  it('that is silent before its first byte meets the limit of silence too', async () => {
    const path = await TestPath.start({ rules: { idleMs: 30 } });
    await expect(path.ask()).resolves.toMatchObject(timedOut);
    expect(limitsLogged(path)).toEqual(['idleTimeoutSeconds']);
  });

  it('whose answer goes on is not silent', async () => {
    // Longer in all than it may be silent, and with room for a busy machine between two writes.
    const pod = podOf((_, response) => {
      let left = 12;
      const stop = every(100, () => {
        response.write('x');
        left -= 1;
        if (left > 0) return;
        stop();
        response.end();
      });
    });
    const path = await TestPath.with(pod, { rules: { idleMs: 1_000 } });
    await expect(path.ask()).resolves.toMatchObject({ status: 200, body: 'x'.repeat(12) });
  });

  it('says in the log which limit it met (H-111)', async () => {
    const rules = [{ maxMs: 20 }, { startMs: 20 }, { idleMs: 20 }];
    const named = await Promise.all(
      rules.map(async (limits) => {
        const path = await TestPath.with(podOf(forEver), { rules: limits });
        await path.ask();
        return limitsLogged(path);
      }),
    );
    expect(named).toEqual([
      ['timeoutSeconds'],
      ['responseStartTimeoutSeconds'],
      ['idleTimeoutSeconds'],
    ]);
  });

  it('writes nothing more when its time is over (H-106) (H-107)', async () => {
    const late: (() => void)[] = [];
    const pod = podOf((_, response) => {
      late.push(() => void response.end('late'));
    });
    const path = await TestPath.with(pod, { rules: { maxMs: 30 } });
    const client = path.raw(`GET / HTTP/1.1\r\n${headLines}\r\n`);
    await client.until('activator request timeout');
    late[0]?.();
    client.write(`GET / HTTP/1.1\r\n${headLines}\r\n`);
    await client.until(/timeout.*timeout/s);
    expect(client.text).not.toContain('late');
    expect(path.counted.endings).toEqual({ answered: 0, refused: 2, cancelled: 0, cut: 0 });
  });
});

describe('Limits of a revision', () => {
  it('are its own, in seconds; without them those of Knative hold', () => {
    expect(readRules(revisionObject({ timeoutSeconds: 7 }))).toMatchObject({
      maxMs: 7_000,
      startMs: 0,
      idleMs: 0,
    });
    const object = revisionObject();
    const spec = { responseStartTimeoutSeconds: 3, idleTimeoutSeconds: 4 };
    expect(readRules({ ...object, spec })).toMatchObject({
      maxMs: 300_000,
      startMs: 3_000,
      idleMs: 4_000,
    });
  });

  it('are read once for all of its requests, and gone with it (H-77)', () => {
    const rules = new RevisionRules();
    rules.seen(revisionObject({ timeoutSeconds: 7 }));
    const found = rules.find('demo', 'hello');
    expect(found).toMatchObject({ maxMs: 7_000 });
    expect(rules.find('demo', 'hello')).toBe(found);
    rules.gone('demo', 'hello');
    expect(rules.find('demo', 'hello')).toBeUndefined();
  });

  it('that cannot be read are those of Knative', () => {
    const spec = { timeoutSeconds: 'soon', responseStartTimeoutSeconds: -1 };
    expect(readRules({ ...revisionObject(), spec })).toMatchObject({ maxMs: 300_000, startMs: 0 });
  });
});

describe('Deadlines', () => {
  class One extends Limited {
    isExpired = false;

    expired(): void {
      this.isExpired = true;
    }
  }

  it('end in the order in which they began, and not those that were removed (H-108)', async () => {
    const deadlines = new Deadlines();
    const all = Array.from({ length: 5 }, () => new One());
    for (const one of all) deadlines.add(one, 20, nowMs());
    const [first, , third, , last] = all;
    for (const one of [first, third, last]) one?.list?.remove(one);
    await until(() => all[1]?.isExpired === true && all[3]?.isExpired === true);
    expect(all.map(({ isExpired }) => isExpired)).toEqual([false, true, false, true, false]);
    expect(all.every(({ list }) => list === undefined)).toBe(true);
    deadlines.stop();
  });

  it('of another length do not wait for those before them', async () => {
    const deadlines = new Deadlines();
    const [long, short] = [new One(), new One()];
    deadlines.add(long, 600_000, nowMs());
    deadlines.add(short, 5, nowMs());
    await until(() => short.isExpired);
    expect(long.isExpired).toBe(false);
    deadlines.stop();
  });
});
