// Watches through the proxy: silent, late, coalesced, expired.
import { describe, expect, test } from 'vitest';
import { eventually } from '#test/support/eventually.ts';
import { Bench } from './bench.ts';

const bench = new Bench();
const { inflict, watch, watching } = bench;

describe('A watch through the proxy', () => {
  test('that is half open says nothing more and does not end', async () => {
    const open = await watching();
    const lift = inflict({ type: 'halfOpen' }, { verb: 'watch', kind: 'Pod', alsoOpen: true });
    const { length } = bench.proxy.traffic.all;
    const late = watch();
    await eventually(
      'a watch asked for',
      () => bench.proxy.traffic.all.length,
      (count) => count > length,
    );
    bench.server.emit('ADDED', 'unseen');
    lift();
    const after = await watching();
    bench.server.emit('ADDED', 'seen');
    await eventually(
      'an event',
      () => after.names,
      (names) => names.length === 1,
    );
    expect([open.names, late.names]).toEqual([[], []]);
    for (const one of [open, late, after]) one.close();
    expect(await Promise.all([open.ended, late.ended])).toEqual([
      { kind: 'aborted' },
      { kind: 'aborted' },
    ]);
  });

  test('lags in order, its end too, until the rule is lifted', async () => {
    const { names, ended } = await watching();
    const lift = inflict({ type: 'lag', ms: 60_000 }, { verb: 'watch', alsoOpen: true });
    bench.server.emit('ADDED', 'a');
    bench.server.emit('ADDED', 'b');
    bench.server.endWatches();
    await eventually(
      'sent',
      () => bench.server.watches,
      (count) => count === 0,
    );
    expect(names).toEqual([]);
    lift();
    expect(await ended).toEqual({ kind: 'ended' });
    expect(names).toEqual(['a', 'b']);
  });

  test('that is coalesced shows the newest event of each object', async () => {
    inflict({ type: 'coalesce', ms: 100 }, { verb: 'watch' });
    const { names, close } = await watching();
    for (const name of ['a', 'b', 'a', 'c', 'b']) bench.server.emit('MODIFIED', name);
    await eventually(
      'events',
      () => names,
      () => names.length === 3,
    );
    expect(names).toEqual(['a', 'c', 'b']);
    close();
  });

  test('that expired says so in an event, or is refused', async () => {
    inflict({ type: 'expiredEvent' }, { verb: 'watch', nth: 1 });
    inflict({ type: 'answer', status: 410 }, { verb: 'watch', nth: 2 });
    const first = watch();
    expect(await first.ended).toEqual({ kind: 'ended' });
    expect(first.names).toEqual(['ERROR']);
    expect(await watch().ended).toMatchObject({ kind: 'refused', response: { status: 410 } });
  });
});
