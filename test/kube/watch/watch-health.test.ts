// What is said of a server, and when it is said again.
import { expect, test } from 'vitest';
import { text } from '#machines/kubernetes/json.ts';
import { failureOfStatus } from '#src/kube/errors.ts';
import { WatchHealth } from '#src/kube/watch/watch-health.ts';
import { VirtualClock } from '#test/support/virtual-clock.ts';
import { status } from '../support/objects.ts';

const failure = (code: number) => failureOfStatus(status(code, 'x', 'm'));

function watched() {
  const said: string[] = [];
  const clock = new VirtualClock();
  const health = new WatchHealth('Pod', {
    clock,
    log: (level, message, fields) => said.push(`${level} ${message} ${text(fields?.['code'])}`),
  });
  return { clock, health, said: () => said.splice(0) };
}

test('a failure is logged once while it lasts, and again after the server was heard', () => {
  const { health, said } = watched();
  health.failed('watch', failure(500));
  health.failed('list', failure(500));
  expect(said()).toEqual(['warn cannot watch SERVER_ERROR']);
  health.failed('list', failure(429));
  expect(said()).toEqual(['warn cannot list THROTTLED']);
  expect(health.health()).toMatchObject({ failures: 3, lastFailure: 'm (429 x)' });
  health.proved();
  expect(health.health()).toMatchObject({ failures: 3, lastFailure: null });
  health.failed('list', failure(429));
  expect(said()).toEqual(['warn cannot list THROTTLED']);
});

test('an expired version is not logged, and what is missing is said with a hint', () => {
  const { health, said } = watched();
  health.failed('watch', failure(410));
  expect(said()).toEqual([]);
  health.failed('list', failure(403));
  expect(said()).toEqual([
    'warn cannot list: is the CRD installed, and may we list and watch it? FORBIDDEN',
  ]);
});

test('its age counts from when it was heard last, and news is due sooner than a proof', async () => {
  const { clock, health } = watched();
  expect(health.health().ageMs).toBeNull();
  health.heard();
  await clock.advance(5_000);
  expect([health.health().ageMs, health.unprovenMs]).toEqual([5_000, 5_000]);
  health.proved();
  expect([health.health().ageMs, health.unprovenMs]).toEqual([0, 0]);
});
