// What the API server answers, counted by code, and the writes of the last seconds.
import { expect, it } from 'vitest';
import { Traffic } from '#src/inspector/server/traffic.ts';

it('Traffic is answers by code, and writes of the last ten seconds', () => {
  let now = 0;
  const traffic = new Traffic(() => now);
  for (const code of ['201', '201', '409']) traffic.request({ code, method: 'POST' });
  traffic.request({ code: '200', method: 'GET' });
  expect(traffic.answers()).toEqual({ 200: 1, 201: 2, 409: 1 });
  expect(traffic.writesPerSecond()).toBe(0.3);
  for (let second = 1; second <= 30; second++) {
    now = second * 1_000;
    for (let write = 0; write < 5; write++) traffic.request({ code: '200', method: 'PATCH' });
  }
  expect(traffic.writesPerSecond()).toBe(5);
  now += 9_000;
  expect(traffic.writesPerSecond()).toBe(0.5);
  now += 1_000;
  expect(traffic.writesPerSecond()).toBe(0);
});
