// What is to be done about certificates, for each state of the Secret: a table of the decisions.
import { beforeAll, describe, expect, it } from 'vitest';
import { readBundle } from '#src/admission/certificates/bundle.ts';
import { type Kept, planCertificates, type Step } from '#src/admission/certificates/plan.ts';
import { systemClock } from '#src/time/clock.ts';
import { type Authority, createAuthority } from '#src/tls/authority.ts';

const options = { names: ['ours'], addresses: ['127.0.0.1'], overlapMs: 300_000 };
const now = systemClock.now();
const authorities: Record<'old' | 'new' | 'theirs', Authority> = {} as never;
beforeAll(async () => {
  for (const name of ['old', 'new', 'theirs'] as const) {
    authorities[name] = await createAuthority(name, now);
  }
});

const certificateOf = (text: string) => readBundle(text)[0] ?? expect.fail('no certificate');
const authorityOf = (name: keyof typeof authorities) => certificateOf(authorities[name].cert);
async function servedBy(name: keyof typeof authorities, host = 'ours') {
  return certificateOf((await authorities[name].server([host], ['127.0.0.1'])).cert);
}

/** Trusted and served for long. */
async function settled(): Promise<Kept> {
  return {
    authorities: [authorityOf('old')],
    signer: authorityOf('old'),
    serving: await servedBy('old'),
    trustedSince: now - 2 * options.overlapMs,
    servedSince: now - 2 * options.overlapMs,
  };
}

const century = 100 * 366 * 24 * 60 * 60_000;
const addAuthority = (why: string): Step => ({ do: 'addAuthority', why });
const issue = (why: string): Step => ({ do: 'issue', why });
type Change = () => Partial<Kept> | Promise<Partial<Kept>>;

describe('What is to be done where', () => {
  it.each<[string, Change, Step, number?]>([
    ['all is well', () => ({}), { do: 'nothing' }],
    [
      'no authority has its key',
      () => ({ signer: undefined }),
      addAuthority('there is no authority with its key'),
    ],
    [
      'the authority has expired',
      () => ({}),
      addAuthority('the authority is not valid now'),
      century,
    ],
    [
      'no certificate has its key',
      () => ({ serving: undefined }),
      issue('there is no certificate with its key'),
    ],
    [
      'the certificate is for other names',
      async () => ({ serving: await servedBy('old', 'another') }),
      issue('the certificate is for other names'),
    ],
    [
      'nobody who is trusted has signed the certificate',
      async () => ({ serving: await servedBy('theirs') }),
      issue('the certificate is signed by nobody who is trusted'),
    ],
  ])('%s', async (_, change, step, later = 0) => {
    const kept = { ...(await settled()), ...(await change()) };
    expect(planCertificates(kept, options, now + later, true)).toEqual(step);
  });

  it.each([
    [true, options.overlapMs, 'issue'],
    [true, options.overlapMs - 1, 'nothing'],
    [false, options.overlapMs, 'nothing'],
  ])('a newer authority is trusted by all: %s, for %i ms', async (isTrusted, forMs, what) => {
    const kept: Kept = {
      ...(await settled()),
      authorities: [authorityOf('new'), authorityOf('old')],
      signer: authorityOf('new'),
      trustedSince: now - forMs,
    };
    expect(planCertificates(kept, options, now, isTrusted).do).toBe(what);
  });

  it.each([
    [options.overlapMs, 'forget'],
    [options.overlapMs - 1, 'nothing'],
  ])('a certificate of the newer authority is served for %i ms', async (forMs, what) => {
    const kept: Kept = {
      ...(await settled()),
      authorities: [authorityOf('new'), authorityOf('old')],
      signer: authorityOf('new'),
      serving: await servedBy('new'),
      servedSince: now - forMs,
    };
    expect(planCertificates(kept, options, now, true).do).toBe(what);
  });
});
