// Phases of a run of claims: what each has used and written, and that nothing is lost between two
// that follow each other.
import { expect, test } from 'vitest';
import { Recorder } from './recorder.ts';

test('Who looks on does so from the begin of a phase to its end', async () => {
  const seen: string[] = [];
  const looks = (what: string) => (phase: string) => {
    seen.push(`${what} ${phase}`);
    return Promise.resolve();
  };
  const recorder = new Recorder(
    { usages: () => Promise.resolve({}), requests: () => Promise.resolve({}) },
    { begin: looks('begin'), end: looks('end') },
  );
  await recorder.phase('burst', async () => {
    await looks('in')('burst');
    return {};
  });
  await recorder.next('refill', () => Promise.resolve({}));
  expect(seen).toEqual(['begin burst', 'in burst', 'end burst', 'begin refill', 'end refill']);
});

test('A phase counts from its begin, one that follows another from the end of that', async () => {
  let written = 5;
  const recorder = new Recorder({
    usages: () => Promise.resolve({}),
    requests: () => Promise.resolve({ 'create pods 201': (written += 1) }),
  });
  const act = () => Promise.resolve({ ready_s: 1 });
  await recorder.phase('fill', act);
  written += 100;
  await recorder.phase('burst', act);
  await recorder.next('refill', act);
  expect(recorder.phases.map(({ phase, requests }) => [phase, requests])).toEqual([
    ['fill', { 'create pods 201': 1 }],
    ['burst', { 'create pods 201': 1 }],
    ['refill', { 'create pods 201': 1 }],
  ]);
  expect(recorder.phases[0]?.milestones).toEqual({ ready_s: 1 });
});
