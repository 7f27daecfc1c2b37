// The grammar of subjects and its tokens: one subject per meaning and one meaning per subject.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { factKinds } from '#actors/ports.ts';
import { busLimits } from '#bus/limits.ts';
import type { Subject } from '#bus/subjects.ts';
import { formatSubject, parseSubject } from '#bus/subjects.ts';
import { escapeToken, unescapeToken } from '#bus/subjects.ts';
import { questions } from '#machines/contract/question.ts';
import { allActorKinds } from '#machines/kinds.ts';
import { anyKey, anyName, key } from '#test/support/bus/samples.ts';

const anySubject: fc.Arbitrary<Subject> = fc.oneof(
  fc.record({
    type: fc.constant('fact' as const),
    about: anyKey,
    what: fc.constantFrom(...factKinds),
  }),
  fc.record({
    type: fc.constant('tell' as const),
    shard: fc.integer({ min: 0, max: busLimits.maxShard }),
    to: anyKey,
  }),
  fc.record({
    type: fc.constant('ask' as const),
    about: anyKey,
    question: fc.constantFrom(...questions),
  }),
  fc.record({
    type: fc.constant('owner' as const),
    shard: fc.integer({ min: 0, max: busLimits.maxShard }),
    about: anyKey,
    question: fc.constantFrom(...questions),
  }),
);

describe('a token', () => {
  it('leaves names that Kubernetes makes readable', () => {
    expect(escapeToken('demo-0-worker')).toBe('demo-0-worker');
    expect(escapeToken('system:node')).toBe('system:node');
    expect(escapeToken('web.v1.example')).toBe('web%2Ev1%2Eexample');
  });

  it('gives back every string, and holds nothing that NATS gives a meaning', () => {
    fc.assert(
      fc.property(anyName, (name) => {
        const token = escapeToken(name);
        expect(token).toMatch(/^[A-Za-z0-9_:%-]+$/);
        expect(unescapeToken(token)).toBe(name);
      }),
    );
  });

  it('that is taken is the only one of its string', () => {
    const nearly = fc.stringMatching(/^(?:[a-c%_]|%[0-9A-Fa-f]{2}|%u[0-9A-F]{4}){1,6}$/);
    fc.assert(
      fc.property(fc.oneof(nearly, anyName), (token) => {
        const name = unescapeToken(token);
        if (name !== undefined) expect(escapeToken(name)).toBe(token);
      }),
    );
  });

  it.each(['', 'a b', 'a*', '>', '%41', '%2e', '%u0041', '%2', 'a%', '%%', 'ä'])(
    'is refused when it is %j',
    (token) => {
      expect(unescapeToken(token)).toBeUndefined();
    },
  );
});

describe('a subject', () => {
  it('has the forms that the architecture names', () => {
    const about = key('demo-0-worker');
    const texts = [
      formatSubject({ type: 'fact', about, what: 'wrote' }),
      formatSubject({ type: 'tell', shard: 3, to: about }),
      formatSubject({ type: 'ask', about, question: 'why' }),
    ].map((text) => (text.ok ? text.value : text.problem));
    expect(texts).toEqual([
      'coppice.fact.podclique.default.demo-0-worker.wrote',
      'coppice.tell.3.podclique.default.demo-0-worker',
      'coppice.ask.podclique.default.demo-0-worker.why',
    ]);
  });

  it('parses to what was formatted', () => {
    fc.assert(
      fc.property(anySubject, (subject) => {
        const text = formatSubject(subject);
        if (!text.ok) throw new Error(text.problem);
        expect(parseSubject(text.value)).toEqual({ ok: true, value: subject });
      }),
    );
  });

  it('formats to what was parsed', () => {
    const nearly = fc
      .array(
        fc.constantFrom('coppice', 'fact', 'tell', 'ask', 'podclique', 'a', '%2E', '7', 'why'),
        {
          maxLength: 7,
        },
      )
      .map((tokens) => tokens.join('.'));
    fc.assert(
      fc.property(fc.oneof(nearly, fc.string()), (text) => {
        const subject = parseSubject(text);
        if (subject.ok) expect(formatSubject(subject.value)).toEqual({ ok: true, value: text });
      }),
    );
  });

  it.each([
    ['', 'subject', 'must begin with coppice'],
    ['nats.fact.podclique.a.b.wrote', 'subject', 'must begin with coppice'],
    ['coppice', 'subject.type', 'one of fact, tell, ask'],
    ['coppice.shout.podclique.a.b.wrote', 'subject.type', 'one of fact, tell, ask'],
    ['coppice.fact.podclique.a.b', 'subject', 'must have 6 tokens, has 5'],
    ['coppice.fact.podclique.a.b.wrote.more', 'subject', 'must have 6 tokens, has 7'],
    ['coppice.fact.pod.a.b.wrote', 'subject.kind', `one of ${allActorKinds().join(', ')}`],
    ['coppice.fact.constructor.a.b.wrote', 'subject.kind', 'is "constructor"'],
    ['coppice.fact.podclique..b.wrote', 'subject.namespace', 'is ""'],
    ['coppice.fact.podclique.a.%41.wrote', 'subject.name', 'a dot is %2E'],
    ['coppice.fact.podclique.a.b.sang', 'subject.what', 'one of observed, transition'],
    ['coppice.ask.podclique.a.b.Who?', 'subject.question', 'a word of up to 32 letters'],
    ['coppice.tell.-1.podclique.a.b', 'subject.shard', 'must be 0 to 65535'],
    ['coppice.tell.07.podclique.a.b', 'subject.shard', 'is "07"'],
    ['coppice.tell.65536.podclique.a.b', 'subject.shard', 'is "65536"'],
  ])('like %j is refused with the token that is wrong', (text, field, problem) => {
    const refused = parseSubject(text);
    expect(refused).toMatchObject({ ok: false, field });
    expect(refused.ok ? '' : refused.problem).toContain(problem);
  });

  it('takes the longest name of Kubernetes with a dot at every second place', () => {
    const name = `${'a.'.repeat(126)}a`;
    expect(name).toHaveLength(253);
    expect(formatSubject({ type: 'fact', about: key(name), what: 'wrote' }).ok).toBe(true);
  });

  it('is not made, and not parsed, for a name beyond the limit', () => {
    const about = key('x'.repeat(busLimits.maxTokenLength + 1));
    const made = formatSubject({ type: 'ask', about, question: 'state' });
    expect(made).toMatchObject({ ok: false, field: 'name' });
    expect(parseSubject(`coppice.fact.podclique.a.${about.name}.wrote`).ok).toBe(false);
    expect(parseSubject('coppice.'.repeat(100_000)).ok).toBe(false);
  });
});
