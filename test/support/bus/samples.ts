// Examples and generators of what travels on the bus.
import fc from 'fast-check';
import type { Envelope, Fact } from '#actors/ports.ts';
import { factKinds } from '#actors/ports.ts';
import type { ActorKey } from '#machines/contract/address.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { anyText } from '../text.ts';

export const key = (name: string, namespace = 'default'): ActorKey => ({
  kind: 'podclique',
  namespace,
  name,
});

export const factOf = (about: ActorKey, data: JsonObject = {}, id = 'f-1'): Fact => ({
  id,
  cause: 'c-1',
  trace: 't-1',
  at: 1_767_225_600_000,
  about,
  what: 'transition',
  data,
});

export const envelopeTo = (to: ActorKey, id = 'm-1', value = '1 of 2 scheduled'): Envelope => ({
  id,
  cause: 'c-1',
  trace: 't-1',
  at: 1_767_225_600_000,
  to,
  root: { kind: 'podcliqueset', namespace: to.namespace, name: 'demo' },
  shard: 3,
  epoch: 7,
  view: 'gangScheduling',
  key: `${to.namespace}/demo-0`,
  value,
});

/** Any string: ordinary names, and everything that a subject could choke on. */
export const anyName = fc.oneof(
  fc.stringMatching(/^[a-z0-9]([-a-z0-9]{0,20}[a-z0-9])?$/),
  fc.stringMatching(/^[a-z0-9]+(\.[a-z0-9]+){1,3}$/),
  fc.constantFrom('', ' ', '*', '>', '.', '..', '%', '%2E', 'a.b', 'ä', '\ud800', '\u0000', '\r\n'),
  anyText({ maxLength: 40 }),
  fc
    .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 12 })
    .map((units) => String.fromCharCode(...units)),
);

export const anyKey: fc.Arbitrary<ActorKey> = fc.record({
  kind: fc.constantFrom('podcliqueset', 'podclique', 'podgang'),
  namespace: anyName,
  name: anyName,
});

/** A value as it is after a journey through JSON: no -0, no `__proto__`. */
export const anyData: fc.Arbitrary<JsonObject> = fc
  .dictionary(fc.string({ maxLength: 8 }), fc.jsonValue({ maxDepth: 3 }))
  .map((value) => JSON.parse(JSON.stringify(value).replaceAll('__proto__', 'proto')));

const anyId = fc.string({ maxLength: 30 });
const anyTime = fc.integer({ min: 0, max: 4_102_444_800_000 });

export const anyFact: fc.Arbitrary<Fact> = fc.record({
  id: anyId,
  cause: anyId,
  trace: anyId,
  at: anyTime,
  about: anyKey,
  what: fc.constantFrom(...factKinds),
  data: anyData,
});

export const anyEnvelope: fc.Arbitrary<Envelope> = fc.record({
  id: anyId,
  cause: anyId,
  trace: anyId,
  at: anyTime,
  to: anyKey,
  root: anyKey,
  shard: fc.integer({ min: 0, max: 65_535 }),
  epoch: fc.maxSafeNat(),
  view: fc.string({ maxLength: 30 }),
  key: fc.string({ maxLength: 60 }),
  value: fc.string({ maxLength: 60 }),
});
