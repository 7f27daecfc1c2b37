// The micro service `coppice` with a real server: found by its protocol, and hard to confuse.
import { connect } from '@nats-io/transport-node';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Answer } from '#actors/ports.ts';
import { busLimits } from '#bus/limits.ts';
import { commonQuestions, type Question } from '#machines/contract/question.ts';
import { at, list, text } from '#machines/kubernetes/json.ts';
import type { NatsServer } from '#src/natsserver/process.ts';
import { key } from '#test/support/bus/samples.ts';
import { natsSkip } from '#test/support/nats.ts';
import { eventually, Stage, until } from './stage.ts';

const ask = { about: key('a'), question: 'state', payload: {} } as const;

const say = (question: string): Answer =>
  question === 'why'
    ? { ok: true, data: {} }
    : { ok: false, code: 'FORBIDDEN', message: 'not that' };

describe.skipIf(natsSkip !== '')(`the micro service${natsSkip}`, () => {
  let stage: Stage;
  beforeEach(() => {
    stage = new Stage();
  });
  afterEach(() => stage.clear());

  it('answers questions that are no questions, and counts them', async () => {
    const server = await stage.start();
    const bus = await stage.joined({ servers: [server.url] });
    bus.onAsk(() => Promise.resolve({ ok: false, code: 'NOT_FOUND', message: 'no\nsuch ä actor' }));
    const stranger = await connect({ servers: server.url });
    const request = async (subject: string, payload = '') => {
      const message = await stranger.request(subject, payload, { timeout: 2_000 });
      const answer: unknown = message.json();
      const code = message.headers?.get('Nats-Service-Error-Code');
      return { answer, code, text: message.headers?.get('Nats-Service-Error') };
    };
    await eventually(() => request('coppice.ask.podclique.default.a.state'));
    expect(await request('coppice.ask.podclique.default.a.state')).toMatchObject({
      answer: { v: 1, ok: false, code: 'NOT_FOUND' },
      code: '404',
      text: 'no such actor',
    });
    for (const [subject, payload] of [
      ['coppice.ask.podclique.default.a.state', '{"a":'],
      ['coppice.ask.podclique.default.a.state', '[]'],
      ['coppice.ask.podclique.default.a.state', `"${'x'.repeat(busLimits.maxMessageBytes)}"`],
      ['coppice.ask.podclique.default.a.Dance', '{}'],
      ['coppice.ask.everything', '{}'],
    ] as const) {
      const { answer, code } = await request(subject, payload);
      expect(answer).toMatchObject({ ok: false, code: 'MALFORMED' });
      expect(code).toBe('400');
    }
    expect(bus.state().rejected).toBe(5);
    await stranger.close();
  });

  it('is found by the micro service protocol, with statistics that tell errors apart', async () => {
    const server = await stage.start();
    const bus = await stage.joined({ servers: [server.url] });
    bus.onAsk(({ question }) =>
      Promise.resolve(
        question === 'why'
          ? { ok: true, data: {} }
          : { ok: false, code: 'FORBIDDEN', message: 'not that' },
      ),
    );
    await bus.ask({ ...ask, question: 'why' }, 2_000);
    await bus.ask({ ...ask, question: 'park' }, 2_000);
    const stranger = await connect({ servers: server.url });
    const query = async (subject: string): Promise<unknown> =>
      (await stranger.request(subject, '', { timeout: 2_000 })).json();
    const identity = { name: 'coppice', version: '1.0.0', id: await serviceId(server) };
    for (const subject of ['$SRV.PING', '$SRV.PING.coppice', `$SRV.PING.coppice.${identity.id}`]) {
      expect(await query(subject)).toMatchObject({
        type: 'io.nats.micro.v1.ping_response',
        ...identity,
      });
    }
    expect(await query('$SRV.INFO.coppice')).toMatchObject({
      type: 'io.nats.micro.v1.info_response',
      ...identity,
      endpoints: [{ name: 'ask', subject: 'coppice.ask.>', queue_group: 'coppice' }],
    });
    expect(await query('$SRV.STATS.coppice')).toMatchObject({
      type: 'io.nats.micro.v1.stats_response',
      ...identity,
      endpoints: [{ name: 'ask', num_requests: 2, num_errors: 1, last_error: '403:not that' }],
    });
    await stranger.close();
  });

  it('has an endpoint for each question, with its schemas, permissions and numbers', async () => {
    const server = await stage.start();
    const bus = await stage.joined({ servers: [server.url] });
    const join: Question = {
      description: 'a row',
      payload: { properties: { node: { type: 'string', maxLength: 9 } }, required: ['node'] },
    };
    const asked = new Map<string, Question>([...Object.entries(commonQuestions), ['join', join]]);
    bus.onAsk(({ question }) => Promise.resolve(say(question)), asked);
    bus.own(new Set([3, 1]));
    for (const question of ['why', 'why', 'join', 'dance']) {
      await bus.ask({ ...ask, question }, 2_000);
    }
    const stranger = await connect({ servers: server.url });
    const query = async (subject: string): Promise<unknown> =>
      (await stranger.request(subject, '', { timeout: 2_000 })).json();
    const info = await query('$SRV.INFO.coppice');
    expect(info).toMatchObject({ metadata: { version: '1.2.3', pod: 'coppice-0', shards: '1,3' } });
    const endpoints = list(at(info, 'endpoints')).map((one) => ({
      name: text(at(one, 'name')),
      subject: text(at(one, 'subject')),
      metadata: at(one, 'metadata'),
    }));
    expect(endpoints.map(({ name, subject }) => `${name} ${subject}`)).toEqual([
      ...[...asked.keys()].map((name) => `${name} coppice.ask.*.*.*.${name}`),
      'ask coppice.ask.>',
    ]);
    for (const { name, metadata } of endpoints.filter((one) => one.name !== 'ask')) {
      const [payload, answer] = ['payload', 'answer'].map((field) => text(at(metadata, field)));
      expect(JSON.parse(payload ?? '')).toMatchObject({ type: 'object' });
      expect(JSON.parse(answer ?? '')).toMatchObject({ oneOf: [{}, {}] });
      expect([name, text(at(metadata, 'description'))]).not.toContain('');
    }
    const stats = await query('$SRV.STATS.coppice');
    const numbers = list(at(stats, 'endpoints')).map((one) =>
      ['name', 'num_requests', 'num_errors'].map((field) => String(at(one, field))).join(' '),
    );
    expect(numbers).toEqual(
      expect.arrayContaining(['why 2 0', 'state 0 0', 'join 1 1', 'ask 1 1', 'park 0 0']),
    );
    await stranger.close();
  });

  it('keeps its id and its statistics over a restart of the server', async () => {
    const first = await stage.start();
    const bus = await stage.joined({ servers: [first.url] });
    bus.onAsk(() => Promise.resolve({ ok: true, data: {} }));
    await bus.ask(ask, 2_000);
    const id = await serviceId(first);
    await stage.dies(first);
    const second = await stage.start({ port: first.port });
    await until(() => bus.state().losses === 1 && bus.state().connected);
    expect(await serviceId(second)).toBe(id);
    const stranger = await connect({ servers: second.url });
    const stats = await stranger.request('$SRV.STATS.coppice', '', { timeout: 2_000 });
    expect(stats.json()).toMatchObject({ endpoints: [{ num_requests: 1 }] });
    await stranger.close();
  });

  it('is gone once nobody answers any more', async () => {
    const server = await stage.start();
    const bus = await stage.joined({ servers: [server.url] });
    const stop = bus.onAsk(() => Promise.resolve({ ok: true, data: {} }));
    await serviceId(server);
    stop();
    const stranger = await connect({ servers: server.url });
    await eventually(async () => {
      const asked = stranger.request('$SRV.PING', '', { timeout: 2_000 });
      await expect(asked).rejects.toThrow('no responders');
    });
    await stranger.close();
  });
});

/** The id under which the only process that serves shows up. */
async function serviceId(server: NatsServer): Promise<string> {
  const stranger = await connect({ servers: server.url });
  const reply = await eventually(() => stranger.request('$SRV.PING', '', { timeout: 500 }));
  await stranger.close();
  const identity: { id?: unknown } = reply.json();
  return String(identity.id);
}
