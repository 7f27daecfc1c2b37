// The metrics of an activator: what actors count and what is read from the tables, and how it shows
// that the actors do not keep up (spec activator 2.14).
import { describe, expect, it } from 'vitest';
import { startActivator } from '#src/activator/start.ts';
import { revisionKey, revisionObject, sliceObject } from '#test/machines/activator/objects.ts';
import { FakeCluster } from '#test/support/fake-cluster.ts';
import { seeded, VirtualClock } from '#test/support/virtual-clock.ts';
import { Request } from './stage.ts';

interface Line {
  readonly level: string;
  readonly message: string;
}

function started() {
  const clock = new VirtualClock();
  const lines: Line[] = [];
  let ids = 0;
  const activator = startActivator({
    clock,
    random: seeded(1),
    ids: { next: () => `i${++ids}` },
    cluster: new FakeCluster(clock),
    probe: () => Promise.resolve({ isOk: true, id: undefined }),
    log: { line: (level, message) => void lines.push({ level, message }) },
    withProcess: false,
    limits: { maxWaiting: 1 },
  });
  return { ...activator, clock, lines };
}

type Started = ReturnType<typeof started>;

/** Of a family, by labels as they are written. */
async function seriesOf({ metrics }: Started, family: string): Promise<Record<string, number>> {
  const text = await metrics.render();
  const rows = text.split('\n').flatMap((line) => {
    const [, labels, value] = new RegExp(`^${family}(\\S*) (\\S+)$`).exec(line) ?? [];
    return labels === undefined ? [] : [[labels, Number(value)]];
  });
  return Object.fromEntries(rows);
}

function see({ system }: Started, name: string, version = 1): void {
  const { metadata, ...rest } = revisionObject({ uid: name, version, limit: 1 });
  const object = { ...rest, metadata: { ...metadata, name } };
  system.observe({ type: 'seen', kind: 'Revision', object });
}

function list({ system }: Started, ips: readonly string[], version = 1): void {
  const object = sliceObject(
    ips.map((ip) => ({ ip })),
    { version },
  );
  system.observe({ type: 'seen', kind: 'EndpointSlice', object });
}

async function serving(ips: readonly string[]): Promise<Started> {
  const activator = started();
  see(activator, revisionKey.name);
  list(activator, ips);
  activator.system.synced();
  await activator.clock.advance(10);
  return activator;
}

const ips = Array.from({ length: 10 }, (_, index) => `10.0.0.${index + 1}`);

describe('The metrics of an activator', () => {
  it('have what the tables hold, and what became of pods and requests', async () => {
    const activator = await serving(ips.slice(0, 2));
    const { plane, clock } = activator;
    const requests = plane.find('demo', 'hello');
    if (requests === undefined) throw new Error('the revision is not served');
    const running = [new Request(requests), new Request(requests)];
    const waits = new Request(requests);
    expect(new Request(requests).told).toEqual(['queue-full']);
    expect(await seriesOf(activator, 'activator_tracker_table')).toMatchObject({
      '{what="live"}': 2,
      '{what="routable"}': 2,
      '{what="capacity"}': 2,
      '{what="active"}': 2,
      '{what="waiting"}': 1,
      '{what="pending"}': 0,
    });
    waits.cancel();
    list(activator, [], 2);
    await clock.advance(400_000);
    for (const request of running) request.end();
    const counted = async (name: string) => seriesOf(activator, `activator_${name}_total`);
    expect(await counted('overflow')).toEqual({ '': 1 });
    expect(await counted('cancelled')).toEqual({ '': 1 });
    expect(await counted('forced_release')).toEqual({ '': 2 });
    expect(await counted('stale_handle')).toEqual({ '': 2 });
    expect(await counted('table_full')).toEqual({ '': 0 });
    expect(await counted('ready_validations')).toEqual({ '{result="ok"}': 2 });
    expect(await counted('pod_state_transitions')).toMatchObject({
      '{from="absent",to="pending",cause="listed"}': 2,
      '{from="pending",to="ready",cause="validated"}': 2,
      '{from="draining",to="absent",cause="deadline"}': 2,
    });
    await activator.stop();
    expect(await counted('stale_handle')).toEqual({ '': 2 });
  });

  it('have the share of holes for each revision: 0 for an empty table (R-16)', async () => {
    const activator = await serving(ips);
    const ratio = () => seriesOf(activator, 'activator_sparse_array_fragmentation_ratio');
    const labels = '{namespace="demo",revision="hello"}';
    expect(await ratio()).toEqual({ [labels]: 0 });
    list(activator, ips.slice(4), 2);
    await activator.clock.advance(10);
    expect(await ratio()).toEqual({ [labels]: 0.4 });
    list(activator, [], 3);
    await activator.clock.advance(10);
    expect(await ratio()).toEqual({ [labels]: 0 });
    await activator.stop();
  });

  it('keep no series of revisions that are gone (R-16)', async () => {
    const activator = await serving([]);
    const names = Array.from({ length: 1_000 }, (_, index) => `revision-${index}`);
    const ratio = () => seriesOf(activator, 'activator_sparse_array_fragmentation_ratio');
    for (const name of names) see(activator, name);
    await activator.clock.advance(1_000);
    expect(Object.keys(await ratio())).toHaveLength(1_001);
    for (const name of [...names, revisionKey.name]) {
      const ref = { kind: 'Revision', namespace: 'demo', name } as const;
      const uid = name === revisionKey.name ? revisionKey.name : name;
      activator.system.observe({ type: 'gone', ref, uid });
    }
    await activator.clock.advance(1_000);
    expect(await ratio()).toEqual({});
    await activator.stop();
  });

  it('and the log have one line for a snapshot of the endpoints, however many pods (R-19)', async () => {
    const many = Array.from({ length: 500 }, (_, at) => `10.0.1.${at}`);
    const activator = await serving(many);
    const { plane, lines, clock } = activator;
    expect(plane.find('demo', 'hello')?.admission.table.figures.live).toBe(500);
    const before = lines.length;
    list(activator, many.slice(250), 2);
    await clock.drain();
    expect(lines.slice(before)).toEqual([{ level: 'debug', message: 'pods of a revision' }]);
    await activator.stop();
  });
});

describe('An actor that does not keep up', () => {
  it('shows in the time that its mail waits, and in the health of the process (R-29)', async () => {
    const activator = await serving(ips);
    const { system, clock, ready, metrics } = activator;
    expect(ready.run()).toBeUndefined();
    system.signal(revisionKey, { type: 'flood' });
    // The event loop is held up by something else.
    clock.spend(6_000);
    expect(ready.run()).toBe('mail of demo/hello has waited for 6000 ms');
    await clock.drain();
    expect(ready.run()).toBeUndefined();
    const text = await metrics.render();
    const [, sum] = /workqueue_queue_duration_seconds_sum\{[^}]*\} (\S+)/.exec(text) ?? [];
    expect(Number(sum)).toBeGreaterThanOrEqual(6);
    await activator.stop();
  });
});
