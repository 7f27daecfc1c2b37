// What the micro service listens to on which connection, and what it says of itself. With a real
// server: test/conformance/bus/nats-service.test.ts.
import { describe, expect, it } from 'vitest';
import { HandlerRegistry } from '#bus/handlers.ts';
import { Service } from '#bus/nats/service.ts';
import { FakeConnection } from '#test/support/bus/connection.ts';
import { VirtualClock } from '#test/support/virtual-clock.ts';

const ask = 'coppice.ask.>';
const state = 'coppice.ask.podclique.default.a.state';

function open() {
  const clock = new VirtualClock();
  const handlers = new HandlerRegistry(() => {});
  const metadata = { pod: 'p', shards: '0' };
  const service = new Service({ handlers, clock, metadata: () => metadata, id: 'me' });
  return { clock, handlers, service, metadata };
}

const own = ['PING', 'INFO', 'STATS'].flatMap((verb) => [
  `$SRV.${verb}`,
  `$SRV.${verb}.coppice`,
  `$SRV.${verb}.coppice.me`,
]);

describe('The micro service', () => {
  it('listens to questions in a queue group and to each verb thrice, once each, until it is stopped', () => {
    const { service } = open();
    const [first, second] = [new FakeConnection(), new FakeConnection()];
    const wanted = [`${ask} coppice`, ...own];
    expect(service.isRunning).toBe(false);
    for (const live of [first, first, second]) {
      service.start(live.connection);
      expect(service.isRunning).toBe(true);
      expect(live.subjects).toEqual(wanted);
    }
    expect(first.subjects).toEqual([]);
    service.stop();
    expect(service.isRunning).toBe(false);
    expect(second.subjects).toEqual([]);
  });

  it('is not running where the connection was closed already, so that the next one gets it', () => {
    const { service } = open();
    const closed = new FakeConnection();
    closed.isClosed = true;
    expect(() => service.start(closed.connection)).toThrow('CLOSED');
    expect(service.isRunning).toBe(false);
  });

  it.each(own)('says under %s who it is', async (subject) => {
    const { clock, service, metadata } = open();
    await clock.advance(60_000);
    const live = new FakeConnection();
    service.start(live.connection);
    const [, verb = ''] = subject.split('.');
    const kind = { PING: 'ping', INFO: 'info', STATS: 'stats' }[verb];
    expect(await live.request(subject)).toEqual([
      expect.objectContaining({
        type: `io.nats.micro.v1.${kind}_response`,
        ...{ name: 'coppice', version: '1.0.0', id: 'me', metadata },
        ...(verb === 'STATS' && { started: new Date(clock.now() - 60_000).toISOString() }),
        ...(verb === 'INFO' && { description: 'Questions to the actors of Coppice' }),
      }),
    ]);
  });

  it('answers questions, as errors of the library are none', async () => {
    const { handlers, service } = open();
    let asked = 0;
    handlers.setAsk(() => {
      asked++;
      return Promise.resolve({ ok: false, code: 'STOPPING', message: 'later' });
    });
    const live = new FakeConnection();
    service.start(live.connection);
    expect(await live.request(ask, state)).toEqual([
      { v: 1, ok: false, code: 'STOPPING', message: 'later' },
    ]);
    expect(await live.request(ask, state, undefined, new Error('slow consumer'))).toEqual([]);
    expect(asked).toBe(1);
  });
});
