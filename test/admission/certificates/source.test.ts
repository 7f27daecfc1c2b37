// Following a source of certificates: each new one is presented once, a failure is told and tried
// again.
import { describe, expect, it } from 'vitest';
import { follow, type Identity } from '#src/admission/certificates/source.ts';
import { createAuthority, validFrom } from '#src/tls/authority.ts';
import { VirtualClock } from '#test/support/virtual-clock.ts';

const identity = (name: string): Identity => ({ cert: name, key: name, authorities: '' });

interface Followed {
  readonly clock: VirtualClock;
  readonly presented: string[];
  readonly logged: string[];
  readonly missing: () => string | undefined;
  readonly servedUntil: () => number | undefined;
  readonly stop: () => Promise<void>;
}

function followed(
  answers: (() => Identity)[],
  refuse: () => boolean = () => false,
  staleMs?: number,
): Followed {
  const clock = new VirtualClock();
  const presented: string[] = [];
  const logged: string[] = [];
  const following = follow({
    source: {
      current: async () => {
        const answer = answers.length > 1 ? answers.shift() : answers[0];
        if (answer === undefined) throw new Error('no answer');
        return answer();
      },
    },
    usedBy: 'webhooks',
    clock,
    log: (_, __, { error }) => logged.push(String(error)),
    pollMs: 1000,
    ...(staleMs === undefined ? {} : { staleMs }),
    present: ({ cert }) => {
      if (refuse()) throw new Error('no port');
      presented.push(cert);
    },
  });
  return { clock, presented, logged, ...following };
}

const fails = (why: string) => (): Identity => {
  throw new Error(why);
};

describe('Following a source', () => {
  it('presents the first certificate and each other one, once', async () => {
    const answers = ['a', 'a', 'b'].map((name) => () => identity(name));
    const { clock, presented, missing } = followed(answers);
    await clock.advance(10_000);
    expect(presented).toEqual(['a', 'b']);
    expect(missing()).toBeUndefined();
  });

  it('says what is missing until there is a certificate, and not afterwards', async () => {
    const { clock, presented, missing, logged } = followed([
      fails('no Secret'),
      () => identity('a'),
      fails('the server is away'),
    ]);
    expect(missing()).toBe('waits for its certificate');
    await clock.drain();
    expect(missing()).toBe('no Secret');
    await clock.advance(5000);
    expect(presented).toEqual(['a']);
    expect(missing()).toBeUndefined();
    expect(logged[0]).toBe('no Secret');
    expect(logged).toContain('the server is away');
  });

  it('says when the certificate ends that was presented last', async () => {
    const now = Date.UTC(2026, 0, 1);
    const authority = await createAuthority('a', now, 100);
    const ending = async (days: number): Promise<Identity> => ({
      ...(await authority.server(['a'], [], validFrom(now, days))),
      authorities: '',
    });
    const [first, second] = [await ending(10), await ending(20)];
    const { clock, servedUntil } = followed([() => first, () => first, () => second]);
    expect(servedUntil()).toBeUndefined();
    await clock.drain();
    const day = 86_400_000;
    expect(servedUntil()).toBe(now + 10 * day);
    await clock.advance(10_000);
    expect(servedUntil()).toBe(now + 20 * day);
  });

  it('presents the same certificate again where that failed', async () => {
    let refusals = 2;
    const { clock, presented, missing } = followed([() => identity('a')], () => refusals-- > 0);
    await clock.drain();
    expect(missing()).toBe('no port');
    await clock.advance(2000);
    expect(presented).toEqual(['a']);
    expect(missing()).toBeUndefined();
  });

  it('is no longer sure of what is served when it could not look for long', async () => {
    const away = fails('the server is away');
    const answers = [() => identity('a'), ...Array.from({ length: 7 }, () => away)];
    const { clock, missing } = followed([...answers, () => identity('a')], () => false, 5000);
    await clock.advance(4000);
    expect(missing()).toBeUndefined();
    await clock.advance(2000);
    expect(missing()).toBe('the server is away');
    await clock.advance(2000);
    expect(missing()).toBeUndefined();
  });

  it('ends with stop', async () => {
    const { clock, stop } = followed([() => identity('a')]);
    await clock.advance(3000);
    await stop();
    expect(clock.pending).toBe(0);
  });
});
