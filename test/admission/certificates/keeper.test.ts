// The webhooks' certificates in a Secret: made, rotated and trusted by any number of replicas, with
// no moment in which an admission would fail.
import { generateKeyPairSync } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { at, object, text } from '#machines/kubernetes/json.ts';
import { isFor, readBundle } from '#src/admission/certificates/bundle.ts';
import type { Identity } from '#src/admission/certificates/source.ts';
import { createAuthority } from '#src/tls/authority.ts';
import { dayMs, distrust, overlapMs, secretPath, stage, type Stage } from './stage.ts';

const base64 = (value: string): string => Buffer.from(value).toString('base64');

async function everybodyIsTrusted(
  { clock, trusted }: Stage,
  served: readonly (Identity | undefined)[],
): Promise<void> {
  const bundles = await trusted();
  const why = served
    .filter((identity) => identity !== undefined)
    .flatMap((identity) => bundles.map((bundle) => distrust(identity, bundle, clock.now())));
  expect(why.filter((each) => each !== undefined)).toEqual([]);
}

const countOf = (bundle: string | undefined): number => readBundle(bundle ?? '').length;

describe('Certificates in a Secret', () => {
  it('are made where there is nothing, and trusted by every configuration', async () => {
    const world = await stage();
    await world.install();
    const identity = await world.replica(1).current();
    const [served] = readBundle(identity.cert);
    expect(
      served && isFor(served, { names: ['grove-operator.default.svc'], addresses: ['127.0.0.1'] }),
    ).toBe(true);
    expect(await world.trusted()).toEqual(Array(3).fill(identity.authorities));
    await everybodyIsTrusted(world, [identity]);
    const secret = await world.secret();
    expect(secret).toMatchObject({
      type: 'kubernetes.io/tls',
      metadata: { labels: { 'app.kubernetes.io/part-of': 'grove' } },
    });
    expect(readBundle(identity.authorities)[0]?.x509.subject).toContain('Grove-CA');
  });

  it('are made also where no configuration is registered', async () => {
    const world = await stage();
    const identity = await world.replica(1).current();
    expect(countOf(identity.authorities)).toBe(1);
  });

  it('stay as they are while nothing is due', async () => {
    const world = await stage();
    await world.install();
    const replica = world.replica(1);
    const identity = await replica.current();
    const before = at(await world.secret(), 'metadata', 'resourceVersion');
    world.clock.jump(5 * dayMs);
    expect(await replica.current()).toEqual(identity);
    expect(at(await world.secret(), 'metadata', 'resourceVersion')).toBe(before);
  });

  it('are renewed at two thirds of their life, by the same authority', async () => {
    const world = await stage();
    await world.install();
    const replica = world.replica(1);
    const first = await replica.current();
    world.clock.jump(6.1 * dayMs);
    const second = await replica.current();
    expect(second.cert).not.toBe(first.cert);
    expect(second.authorities).toBe(first.authorities);
    await everybodyIsTrusted(world, [first, second]);
  });

  it('move to a new authority in three steps, both trusted in between', async () => {
    const world = await stage();
    await world.install();
    const replica = world.replica(1);
    const first = await replica.current();
    // Renewed on the way, as it would be.
    for (let day = 0; day < 40; day += 2.5) {
      world.clock.jump(2.5 * dayMs);
      await replica.current();
    }
    const before = await replica.current();
    expect(countOf(before.authorities)).toBe(2);
    expect(await world.trusted()).toEqual(Array(3).fill(before.authorities));
    expect(before.authorities).toContain(first.authorities.trim());

    world.clock.jump(overlapMs);
    const moved = await replica.current();
    expect(moved.cert).not.toBe(before.cert);
    expect(countOf(moved.authorities)).toBe(2);
    await everybodyIsTrusted(world, [before, moved]);

    world.clock.jump(overlapMs);
    const settled = await replica.current();
    expect(settled.cert).toBe(moved.cert);
    expect(countOf(settled.authorities)).toBe(1);
    await everybodyIsTrusted(world, [settled]);
  });

  it('are renewed before their authority where both are due, and outlast a long pause', async () => {
    const world = await stage();
    await world.install();
    const replica = world.replica(1);
    let before = 0;
    // On day 42.7 the certificate is valid for hours only, and the authority is due as well.
    for (const day of [0, 7, 14, 21, 28, 34.05, 37, 39.9, 42.7, 45.5]) {
      world.clock.jump((day - before) * dayMs);
      before = day;
      const served = await replica.current();
      world.clock.jump(2 * dayMs);
      before += 2;
      await everybodyIsTrusted(world, [served]);
    }
  });

  it('are trusted as long as they are served, when the machine sleeps during a rotation', async () => {
    const jumping = { is: false };
    const world = await stage({ jumping });
    await world.install();
    const replica = world.replica(1);
    let served = await replica.current();
    jumping.is = true;
    for (let day = 0; day < 60; day += 2.5) {
      world.clock.jump(2.5 * dayMs);
      const next = await replica.current();
      await everybodyIsTrusted(world, [served, next]);
      served = next;
    }
    expect(countOf((await world.trusted())[0])).toBe(1);
  });

  it('are agreed upon by five replicas that begin at once (10.1 rule 12)', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer(), async (seed) => {
        const world = await stage();
        await world.install();
        const replicas = [1, 2, 3, 4, 5].map((each) => world.replica(seed + each));
        const served = await Promise.all(replicas.map((replica) => replica.current()));
        await everybodyIsTrusted(world, served);
        const again = await Promise.all(replicas.map((replica) => replica.current()));
        expect(new Set(again.map(({ cert }) => cert)).size).toBe(1);
        await everybodyIsTrusted(world, again);
      }),
      { numRuns: 10, endOnFailure: true },
    );
  });

  it('are trusted at every moment of three months with three replicas', async () => {
    const pause = fc.oneof(
      fc.integer({ min: 0, max: overlapMs - 1 }),
      fc.integer({ min: 0, max: 2.9 * dayMs }),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.integer(),
        fc.array(pause, { minLength: 60, maxLength: 60 }),
        async (seed, pauses) => {
          const world = await stage();
          await world.install();
          const replicas = [1, 2, 3].map((each) => world.replica(seed + each));
          let served = await Promise.all(replicas.map((replica) => replica.current()));
          for (const ms of pauses) {
            world.clock.jump(ms);
            // All look within the overlap: one after the other, or at once.
            if (ms % 2 === 0) {
              for (const [index, replica] of replicas.entries()) {
                served = served.with(index, await replica.current());
                await everybodyIsTrusted(world, served);
              }
            } else {
              served = await Promise.all(replicas.map((replica) => replica.current()));
              await everybodyIsTrusted(world, served);
            }
          }
        },
      ),
      { numRuns: 3, endOnFailure: true },
    );
  }, 60_000);

  it('come back when a deployment tool empties the Secret', async () => {
    const world = await stage();
    await world.install();
    const replica = world.replica(1);
    const first = await replica.current();
    const secret = await world.secret();
    const empty = { ...secret, data: { 'tls.crt': '', 'tls.key': '', 'ca.crt': '' } };
    await world.transport.request({ method: 'PUT', path: secretPath, body: empty });
    const second = await replica.current();
    expect(second.cert).not.toBe(first.cert);
    await everybodyIsTrusted(world, [second]);
  });

  it('are trusted again after the chart was applied without a bundle', async () => {
    const world = await stage();
    const replica = world.replica(1);
    const identity = await replica.current();
    await world.install();
    expect(new Set(await world.trusted())).toEqual(new Set(['']));
    expect(await replica.current()).toEqual(identity);
    await everybodyIsTrusted(world, [identity]);
  });

  it('take over from another maker: what is served stays until ours is trusted', async () => {
    const world = await stage();
    await world.install();
    const foreign = await createAuthority('foreign', world.clock.now(), 30);
    const { cert, key } = await foreign.server(
      ['grove-operator.default.svc', 'grove-operator'],
      ['127.0.0.1'],
    );
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const caKey = text(rsa.privateKey.export({ type: 'pkcs1', format: 'pem' }));
    const data = { 'tls.crt': cert, 'tls.key': key, 'ca.crt': foreign.cert, 'ca.key': caKey };
    const encoded = Object.fromEntries(
      Object.entries(data).map(([name, value]) => [name, base64(value)]),
    );
    await world.transport.request({
      method: 'POST',
      path: '/api/v1/namespaces/default/secrets',
      body: { metadata: { name: 'webhook-cert' }, type: 'kubernetes.io/tls', data: encoded },
    });
    const replica = world.replica(1);
    const first = await replica.current();
    expect(first.cert).toBe(cert);
    expect(countOf(first.authorities)).toBe(2);
    world.clock.jump(overlapMs);
    const second = await replica.current();
    expect(second.cert).not.toBe(cert);
    await everybodyIsTrusted(world, [first, second]);
  });

  it('keep the labels and keys that others put on the Secret', async () => {
    const world = await stage();
    const replica = world.replica(1);
    await replica.current();
    const secret = await world.secret();
    const theirs = {
      ...secret,
      metadata: { ...object(secret['metadata']), labels: { mine: 'yes' } },
      data: { ...object(secret['data']), 'tls.crt': '', more: base64('x') },
    };
    await world.transport.request({ method: 'PUT', path: secretPath, body: theirs });
    await replica.current();
    expect(await world.secret()).toMatchObject({
      metadata: { labels: { mine: 'yes' } },
      data: { more: base64('x') },
    });
  });

  it('cannot be had while the API server refuses, and say why', async () => {
    const { replica } = await stage({ refusing: true });
    await expect(replica(1).current()).rejects.toThrow('secrets is forbidden (403 Forbidden)');
  });
});
