// Events: one object in two kinds, and forgotten after an hour.
import { describe, expect, test } from 'vitest';
import { names, versionOf, withBench } from './support.ts';

const core = '/api/v1/namespaces/default/events';
const newer = '/apis/events.k8s.io/v1/namespaces/default/events';

const coreEvent = (name: string, time: string) => ({
  apiVersion: 'v1',
  kind: 'Event',
  metadata: { name, namespace: 'default' },
  involvedObject: { kind: 'Pod', namespace: 'default', name: 'p' },
  reason: 'Tested',
  message: 'It was tested.',
  type: 'Normal',
  count: 2,
  firstTimestamp: time,
  lastTimestamp: time,
});

describe('an event', () => {
  test('written as core/v1 is read as events.k8s.io/v1', () =>
    withBench(async (bench) => {
      await bench.post(core, coreEvent('e', '2026-01-01T00:00:00Z'));
      expect((await bench.get(`${newer}/e`)).body).toMatchObject({
        apiVersion: 'events.k8s.io/v1',
        regarding: { kind: 'Pod', name: 'p' },
        note: 'It was tested.',
        deprecatedCount: 2,
      });
    }));

  test('written as events.k8s.io/v1 is read, found and patched as core/v1', () =>
    withBench(async (bench) => {
      const { status } = await bench.post(newer, {
        apiVersion: 'events.k8s.io/v1',
        kind: 'Event',
        metadata: { name: 'e', namespace: 'default' },
        eventTime: '2026-01-01T00:00:00.000000Z',
        reportingController: 'example.io/tester',
        reportingInstance: 'tester-1',
        action: 'Testing',
        reason: 'Tested',
        regarding: { kind: 'Pod', namespace: 'default', name: 'p' },
        note: 'It was tested.',
        type: 'Normal',
      });
      expect(status).toBe(201);
      const found = await bench.get(
        `${core}?fieldSelector=involvedObject.name%3Dp,reason%3DTested`,
      );
      expect(names(found.body)).toEqual(['e']);
      const seen = await bench.get(`${core}/e`);
      expect(seen.body).toMatchObject({
        apiVersion: 'v1',
        involvedObject: { name: 'p' },
        message: 'It was tested.',
        reportingComponent: 'example.io/tester',
      });
      const series = { count: 3, lastObservedTime: '2026-01-01T00:00:01.000000Z' };
      const patched = await bench.patch(`${newer}/e`, { series });
      expect(patched.body).toMatchObject({ note: 'It was tested.', series });
      const after = await bench.get(`${core}/e`);
      expect(after.body).toMatchObject({ message: 'It was tested.', series });
      expect(versionOf(after.body)).toBe(versionOf(patched.body));
    }));

  test('is forgotten an hour after it was last seen', () =>
    withBench(async (bench) => {
      await bench.post(core, coreEvent('old', '2026-01-01T00:00:00Z'));
      await bench.clock.advance(30 * 60_000);
      await bench.post(core, coreEvent('new', '2026-01-01T00:30:00Z'));
      await bench.clock.advance(32 * 60_000);
      expect(names((await bench.get(core)).body)).toEqual(['new']);
    }));
});
