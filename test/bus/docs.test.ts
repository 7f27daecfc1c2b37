// docs/bus.md: its examples are messages that our own decoders take, and nothing is left out.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { FactKind } from '#actors/ports.ts';
import { factKinds } from '#actors/ports.ts';
import { decodeEnvelope, decodeFact, encodeEnvelope, encodeFact } from '#bus/codec.ts';
import { decodeErrorText } from '#bus/decoded.ts';
import { readInbound } from '#bus/handlers.ts';
import { busLimits } from '#bus/limits.ts';
import { historyStream } from '#bus/nats/history.ts';
import { natsOptions } from '#bus/nats/options.ts';
import { parseSubject } from '#bus/subjects.ts';
import { questions } from '#machines/contract/question.ts';

const text = readFileSync(join(import.meta.dirname, '../../docs/bus.md'), 'utf8');
const examples = [...text.matchAll(/```message\n(.+)\n(.+)\n```/g)].map(
  ([, subject = '', json = '']) => ({ subject, json }),
);
const bytesOf = (json: string): Uint8Array => new TextEncoder().encode(json);
const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

describe('docs/bus.md', () => {
  it('shows every kind of fact, each as it is written', () => {
    const shown: FactKind[] = [];
    for (const { subject, json } of examples.filter((one) => one.subject.includes('.fact.'))) {
      const fact = decodeFact(bytesOf(json));
      const parsed = parseSubject(subject);
      if (!fact.ok || !parsed.ok) throw new Error(`${subject}: ${JSON.stringify([fact, parsed])}`);
      const { about, what } = fact.value;
      expect(parsed.value).toEqual({ type: 'fact', about, what });
      const encoded = encodeFact(fact.value);
      expect(encoded.ok && textOf(encoded.value)).toBe(json);
      shown.push(what);
    }
    expect(shown).toEqual([...factKinds]);
  });

  it('shows a message between actors as it is written', () => {
    const shown = examples.filter((one) => one.subject.includes('.tell.'));
    expect(shown).toHaveLength(1);
    for (const { subject, json } of shown) {
      const posted = decodeEnvelope(bytesOf(json));
      if (!posted.ok) throw new Error(decodeErrorText(posted));
      expect(readInbound(subject, bytesOf(json))).toEqual({ ok: true, value: { type: 'copy' } });
      const encoded = encodeEnvelope(posted.value.envelope, true);
      expect(encoded.ok && textOf(encoded.value)).toBe(json);
    }
  });

  it('asks with every question, with payloads that are taken', () => {
    const asked = [...text.matchAll(/^nats req (\S+) '(.*)'/gm)].map(
      ([, subject = '', payload = '']) => readInbound(subject, bytesOf(payload)),
    );
    const named = asked.map((one) =>
      one.ok && one.value.type === 'question' ? one.value.ask.question : 'no question',
    );
    expect(named.toSorted()).toEqual([...questions].toSorted());
  });

  it('names the limits and defaults that are in force', () => {
    const { history } = natsOptions();
    expect(text).toContain(`\`${historyStream}\` keeps`);
    expect(text).toContain(
      `limits ${(history?.maxBytes ?? 0) / 1024 / 1024} MiB, ${(history?.maxAgeMs ?? 0) / 3_600_000} hours`,
    );
    expect(text).toContain(`${history?.maxMessages.toLocaleString('en')} messages`);
    expect(text).toContain(`at most ${busLimits.maxMessageBytes / 1024} KiB`);
    expect(text).toContain(`at most ${busLimits.maxTokenLength} characters`);
    expect(text).toContain(`At most ${busLimits.concurrentAsks}\nquestions`);
    expect(text).toContain(
      `at most ${busLimits.outboxMessages.toLocaleString('en')} and ${busLimits.outboxBytes / 1024 / 1024} MiB`,
    );
    expect(text).toContain(
      `at most ${busLimits.unconfirmedBytes / 1024 / 1024} MiB are unconfirmed`,
    );
  });
});
