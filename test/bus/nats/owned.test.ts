// Which owner subjects a process listens to: those of its shards, once each, on the connection that
// is live, whatever comes and goes in which order.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HandlerRegistry } from '#bus/handlers.ts';
import { Owned } from '#bus/nats/owned.ts';
import { ownerSubjects } from '#bus/subjects.ts';
import { FakeConnection } from '#test/support/bus/connection.ts';

const subject = 'coppice.owner.3.podclique.default.a.state';

function open() {
  const handlers = new HandlerRegistry(() => {});
  return { handlers, owned: new Owned(handlers) };
}

describe('The owner subjects of a process', () => {
  it('are those of its shards, once each, whatever comes and goes', () => {
    const shards = fc.uniqueArray(fc.nat(5)).map((list) => ({ do: 'own', list }) as const);
    const steps = fc.array(
      fc.oneof(shards, fc.constant({ do: 'up' } as const), fc.constant({ do: 'down' } as const)),
    );
    fc.assert(
      fc.property(steps, (all) => {
        const { owned } = open();
        let live: FakeConnection | null = null;
        let own: readonly number[] = [];
        for (const step of all) {
          if (step.do === 'own') {
            own = step.list;
            owned.set(new Set(own), live?.connection ?? null);
          } else if (step.do === 'down') {
            owned.stop();
            live = null;
          } else if (live === null) {
            live = new FakeConnection();
            owned.start(live.connection);
          }
          const expected = live === null ? undefined : own.map(ownerSubjects).toSorted();
          expect(live?.subjects.toSorted()).toEqual(expected);
        }
      }),
    );
  });

  it('are asked for again on the next connection where the first was closed meanwhile', () => {
    const { owned } = open();
    const first = new FakeConnection();
    first.isClosed = true;
    expect(() => owned.set(new Set([3]), first.connection)).toThrow('CLOSED');
    owned.stop();
    const next = new FakeConnection();
    owned.start(next.connection);
    expect(next.subjects).toEqual([ownerSubjects(3)]);
  });

  it('are answered by the handler of questions, which is told that it was handed on', async () => {
    const { handlers, owned } = open();
    const asked: unknown[] = [];
    handlers.setAsk((ask) => {
      asked.push(ask);
      return Promise.resolve({ ok: true, data: { state: 'idle' } });
    });
    const live = new FakeConnection();
    owned.set(new Set([3]), live.connection);
    expect(await live.request(ownerSubjects(3), subject)).toEqual([
      { v: 1, ok: true, data: { state: 'idle' } },
    ]);
    const about = { kind: 'podclique', namespace: 'default', name: 'a' };
    expect(asked).toEqual([{ about, question: 'state', payload: {}, handedOn: true }]);
  });

  it('take no error of the library for a question, and bear a connection that is closed', async () => {
    const { handlers, owned } = open();
    let asked = 0;
    handlers.setAsk(() => {
      asked++;
      return Promise.resolve({ ok: true, data: {} });
    });
    const live = new FakeConnection();
    owned.set(new Set([3]), live.connection);
    const error = new Error('permissions violation');
    expect(await live.request(ownerSubjects(3), subject, undefined, error)).toEqual([]);
    expect(asked).toBe(0);
    live.isClosed = true;
    expect(await live.request(ownerSubjects(3), subject)).toEqual([]);
    expect(asked).toBe(1);
  });
});
