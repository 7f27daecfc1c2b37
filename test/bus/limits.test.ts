// Every limit of the bus with its number: what docs/bus.md promises, what a server of NATS takes by
// default, and what the code beside it counts on. Whoever changes one changes it here as well.
import { expect, it } from 'vitest';
import { busLimits } from '#bus/limits.ts';

const kibibyte = 1024;
const mebibyte = 1_048_576;

it.each<readonly [keyof typeof busLimits, number, string]>([
  ['maxMessageBytes', 256 * kibibyte, 'a quarter of the max_payload of a server'],
  ['maxIdLength', 256, 'an id of ours has 20 to 30 characters'],
  ['maxTokenLength', 1024, 'a name of 253 characters, each of them escaped to three'],
  ['maxSubjectLength', 2048, 'half of the longest line of the protocol'],
  ['outboxMessages', 10_000, 'docs/bus.md: the latest of each subject'],
  ['outboxBytes', 16 * mebibyte, 'docs/bus.md: the latest of each subject'],
  ['batchMs', 50, 'the bound of a fact on its way to a viewer'],
  ['batchBytes', 32 * kibibyte, 'what one write to a socket takes'],
  ['unconfirmedBytes', 8 * mebibyte, 'docs/bus.md: a server that accepts no data'],
  ['concurrentAsks', 256, 'docs/bus.md: questions that are being answered'],
  ['outstandingAsks', 1024, 'own questions that are open'],
  ['pastMs', 1_000, 'half of what the owner of a shard has for an answer'],
  ['pastBatch', 500, 'the most facts of one answer'],
  ['pastReads', 4, 'actors that are read of at a time'],
  ['maxErrorText', 512, 'a header of the micro service'],
  ['maxShard', 65_535, 'a shard is a number of two bytes'],
])('The limit %s of the bus is %i: %s', (name, value) => {
  expect(busLimits[name]).toBe(value);
});

it('The bus has no limit that the table above does not know', () => {
  expect(Object.keys(busLimits)).toHaveLength(16);
});
