// The header `traceparent` on facts: off unless wanted, and as W3C Trace Context writes it.
import { connect } from '@nats-io/transport-node';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { traceparentOf } from '#bus/nats/traceparent.ts';
import { factOf, key } from '#test/support/bus/samples.ts';
import { natsSkip } from '#test/support/nats.ts';
import { Stage, until } from './stage.ts';

/** https://www.w3.org/TR/trace-context/#traceparent-header, and not sampled. */
const wellFormed = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-00$/;

describe('traceparent', () => {
  it('is one trace for all facts of a trace, and a span for each', () => {
    const [first, second] = ['f-1', 'f-2'].map((id) => traceparentOf({ id, trace: 'f-1' }));
    const other = traceparentOf({ id: 'f-1', trace: 'f-3' });
    for (const one of [first, second, other]) expect(one).toMatch(wellFormed);
    expect(first?.slice(0, 35)).toBe(second?.slice(0, 35));
    expect(first?.slice(36)).not.toBe(second?.slice(36));
    expect(first?.slice(36)).toBe(other.slice(36));
    expect(first?.slice(0, 35)).not.toBe(other.slice(0, 35));
  });
});

describe.skipIf(natsSkip !== '')(`traceparent on facts${natsSkip}`, () => {
  let stage: Stage;
  beforeEach(() => {
    stage = new Stage();
  });
  afterEach(() => stage.clear());

  const headersOf = async (traceparent: boolean, isLate: boolean): Promise<string[]> => {
    const server = await stage.start();
    const heard: string[] = [];
    const watcher = await connect({ servers: server.url });
    watcher.subscribe('coppice.fact.>', {
      callback: (_, { headers }) => void heard.push(headers?.get('traceparent') ?? 'none'),
    });
    await watcher.flush();
    const bus = stage.join({ servers: [server.url], traceparent });
    if (!isLate) await until(() => bus.state().connected);
    bus.fact(factOf(key('a'), {}, 'f-1'));
    await until(() => heard.length === 1);
    await watcher.close();
    return heard;
  };

  it('is not there unless it is wanted', async () => {
    expect(await headersOf(false, false)).toEqual(['none']);
  });

  it.each([false, true])('is there where it is wanted, waited: %s', async (isLate) => {
    expect(await headersOf(true, isLate)).toEqual([expect.stringMatching(wellFormed)]);
  });
});
