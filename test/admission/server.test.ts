// The HTTPS server of the webhooks: reviews in and out, bad requests, and a change of certificate
// under load.
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Agent } from 'undici';
import { largeBodyBytes, maxBodyBytes, maxBodyDepth } from '#src/admission/limits.ts';
import { type AdmissionServerOptions, serveAdmission } from '#src/admission/server.ts';
import type { Authority } from '#src/tls/authority.ts';
import { realTurns } from '#src/http/slices.ts';
import { systemClock } from '#src/time/clock.ts';
import { servedWebhooks } from '#test/support/admission.ts';
import { baseSet, replaced } from './examples.ts';
import { reviewOf, type Served, serveWebhooks, testAuthority } from './served.ts';

let authority: Authority;
const ends: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  authority = await testAuthority('test');
});
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

interface Running extends Served {
  readonly errors: unknown[];
}

async function start(options: Partial<AdmissionServerOptions> = {}): Promise<Running> {
  const errors: unknown[] = [];
  const onError = (error: unknown): void => void errors.push(error);
  const served = await serveWebhooks({ onError, answerMs: 4_000, ...options }, authority);
  ends.push(() => served.server.close());
  return { ...served, errors };
}

/** With one connection, as an API server has. */
function client({ agent: agentOf }: Running, ca = authority.cert): Agent {
  const agent = agentOf({ connections: 1, ca });
  ends.push(() => agent.close());
  return agent;
}

async function post(
  running: Running,
  path: string,
  body: string,
  agent: Agent = client(running),
): Promise<{ readonly status: number; readonly text: string }> {
  const { origin } = running;
  const headers = { 'content-type': 'application/json' };
  const answer = await agent.request({ origin, path, method: 'POST', headers, body });
  return { status: answer.statusCode, text: await answer.body.text() };
}

const validate = '/webhooks/validate-podcliqueset?timeout=10s';

describe('The admission server', () => {
  it('answers a review with its uid', async () => {
    const { status, text } = await post(
      await start(),
      validate,
      reviewOf(baseSet, { uid: 'some-uid' }),
    );
    expect(status).toBe(200);
    expect(JSON.parse(text)).toMatchObject({
      apiVersion: 'admission.k8s.io/v1',
      kind: 'AdmissionReview',
      response: { uid: 'some-uid', allowed: true },
    });
  });

  it('sends the defaults as a JSON patch in base64', async () => {
    const object = replaced(baseSet, { 'spec.template.terminationDelay': null });
    const { text } = await post(await start(), '/webhooks/default-podcliqueset', reviewOf(object));
    const { response } = JSON.parse(text) as { response: { patchType: string; patch: string } };
    expect(response.patchType).toBe('JSONPatch');
    expect(JSON.parse(Buffer.from(response.patch, 'base64').toString('utf8'))).toEqual([
      { op: 'add', path: '/spec/template/terminationDelay', value: '4h0m0s' },
    ]);
  });

  it('says what is there to whoever asks for something else', async () => {
    const running = await start();
    expect(await post(running, '/webhooks/authorizer-webhook', reviewOf(baseSet))).toMatchObject({
      status: 404,
      text: expect.stringContaining('/webhooks/validate-podcliqueset'),
    });
    const { origin } = running;
    const got = await client(running).request({ origin, path: validate, method: 'GET' });
    expect(got.statusCode).toBe(405);
    await got.body.dump();
  });

  it.each(['', 'no JSON', '[]', '{"kind":"AdmissionReview"}', '{"a":'])(
    'answers 400 to a body that is no review: %s',
    async (body) => {
      expect((await post(await start(), validate, body)).status).toBe(400);
    },
  );

  it('does not read a body that is too long, and goes on', async () => {
    const running = await start();
    const agent = client(running);
    const long = await post(running, validate, 'x'.repeat(maxBodyBytes + 1), agent).catch(() => ({
      status: 413,
    }));
    expect(long.status).toBe(413);
    expect((await post(running, validate, reviewOf(baseSet), agent)).status).toBe(200);
  });

  it.each([
    ['[', ']'],
    ['{"a":', '}'],
    ['{"\\"[":[', ']}'],
  ])('refuses a body nested too deeply before it is parsed: %s', async (open, close) => {
    const running = await start();
    const depth = Math.ceil(maxBodyDepth / (open.length > 5 ? 2 : 1));
    const nested = (times: number) => `${open.repeat(times)}1${close.repeat(times)}`;
    const parse = vi.spyOn(JSON, 'parse');
    onTestFinished(() => parse.mockRestore());
    const deep = await post(running, validate, nested(200_000));
    expect(deep).toMatchObject({ status: 400, text: expect.stringContaining('deep') });
    expect(await post(running, validate, nested(depth + 1))).toEqual(deep);
    const begin = open.repeat(maxBodyDepth / 2);
    expect(parse.mock.calls.filter(([text]) => text.startsWith(begin))).toEqual([]);
    const flat = await post(running, validate, nested(depth));
    expect(flat.text).toContain('must be an AdmissionReview');
    const inText = { metadata: { name: '[{"'.repeat(10_000) } };
    expect((await post(running, validate, reviewOf(inText))).status).toBe(200);
  });

  it('parses large bodies one at a time and leaves as much time to others', async () => {
    const clock = { now: 0, turns: 0 };
    const turns = {
      now: () => clock.now,
      turn: async () => {
        clock.turns++;
        clock.now += 1;
        await realTurns.turn();
      },
    };
    const running = await start({ turns });
    const begins: number[] = [];
    const parse = JSON.parse;
    const spy = vi.spyOn(JSON, 'parse').mockImplementation((text: string) => {
      if (text.length > largeBodyBytes) {
        begins.push(clock.now);
        clock.now += 30;
      }
      return parse(text) as unknown;
    });
    onTestFinished(() => spy.mockRestore());
    const large = reviewOf({ ...baseSet, more: 'x'.repeat(2 * largeBodyBytes) });
    const agent = running.agent({ connections: 10 });
    ends.push(() => agent.close());
    const all = Array.from({ length: 10 }, () => post(running, validate, large, agent));
    const answers = await Promise.all(all);
    expect(answers.map(({ status }) => status)).toEqual(Array.from(answers, () => 200));
    const gaps = begins.slice(1).map((begin, index) => begin - (begins[index] ?? 0));
    expect(begins).toHaveLength(10);
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(60);
    expect(clock.turns).toBeGreaterThan(9 * 25);
  });

  it('refuses with 500 when a webhook throws, and goes on', async () => {
    const [first, second] = servedWebhooks;
    if (first === undefined || second === undefined) throw new Error('two webhooks are needed');
    const broken = {
      ...second,
      answer: () => {
        throw new Error('boom');
      },
    };
    const running = await start({ webhooks: [first, broken] });
    const { text } = await post(running, validate, reviewOf(baseSet));
    expect(JSON.parse(text)).toMatchObject({
      response: { uid: 'review', allowed: false, status: { code: 500 } },
    });
    expect(text).not.toContain('boom');
    expect(running.errors).toEqual([expect.objectContaining({ message: 'boom' })]);
    const { status } = await post(running, '/webhooks/default-podcliqueset', reviewOf(baseSet));
    expect(status).toBe(200);
  });

  it('says that it is late where a webhook does not come to an end', async () => {
    const webhooks = servedWebhooks.map((webhook) => ({
      ...webhook,
      answer: () => new Promise<never>(() => {}),
    }));
    const { text } = await post(
      await start({ webhooks, answerMs: 50 }),
      validate,
      reviewOf(baseSet),
    );
    expect(JSON.parse(text)).toMatchObject({
      response: { allowed: false, status: { code: 504, reason: 'Timeout' } },
    });
  });

  it('closes at once although a peer has begun no handshake', async () => {
    const { server } = await start();
    const silent = connect(server.port, '127.0.0.1');
    silent.on('error', () => {});
    await once(silent, 'connect');
    const late = new Promise((resolve) =>
      systemClock.at(systemClock.now() + 2_000, () => resolve('late')),
    );
    const closed = server.close().then(() => 'closed');
    expect(await Promise.race([closed, late])).toBe('closed');
  });

  it('presents another certificate without a failed request', async () => {
    const running = await start();
    const old = client(running);
    await post(running, validate, reviewOf(baseSet), old);
    const next = await testAuthority('next');
    const both = client(running, authority.cert + next.cert);
    const before = Array.from({ length: 20 }, () =>
      post(running, validate, reviewOf(baseSet), old),
    );
    running.server.present(await next.server(['localhost'], ['127.0.0.1']));
    const after = Array.from({ length: 20 }, () =>
      post(running, validate, reviewOf(baseSet), both),
    );
    const answers = await Promise.all([...before, ...after]);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    const onlyNext = await post(running, validate, reviewOf(baseSet), client(running, next.cert));
    expect(onlyNext.status).toBe(200);
    await expect(post(running, validate, reviewOf(baseSet))).rejects.toThrow(/certificate/);
  });

  it('names the setting when its port is taken', async () => {
    const { server } = await start();
    const taken = serveAdmission({
      host: '127.0.0.1',
      port: server.port,
      identity: await authority.server(['localhost'], ['127.0.0.1']),
      webhooks: [],
      onError: () => {},
    });
    await expect(taken).rejects.toThrow(/choose another with admission\.port/);
  });
});
