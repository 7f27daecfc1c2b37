// The harness on sources made up: what a phase is, when it is over, and what a run leaves behind.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { Harness, type Sources } from './harness.ts';
import { machineMs } from './observer/claims.ts';
import { RunFolder } from './timeline.ts';

/** A controller that takes a second of CPU and makes a write in every phase. */
class Made implements Sources {
  cpuSeconds = 5;
  writes = 100;
  readonly observer = { until: () => Promise.resolve(machineMs() + 250) };
  readonly usages = () =>
    Promise.resolve({ controller: { pid: 1, cpuSeconds: this.cpuSeconds, peakRssMb: 9 } });
  readonly requests = () => Promise.resolve({ 'create pods 201': this.writes, 'list pods 200': 7 });
  readonly act = () => {
    this.cpuSeconds += 1;
    this.writes += 1;
    return Promise.resolve();
  };
}

const told: string[] = [];
const options = { quietSeconds: 0, say: (line: string) => void told.push(line) };

describe('A phase', () => {
  test('has its milestones, the CPU of each process and what was written in it alone', async () => {
    const made = new Made();
    const harness = new Harness(made, options);
    const first = await harness.phase('deploy', made.act, { ready_s: { podsReady: { least: 2 } } });
    const second = await harness.phase('gone', made.act);
    expect(first).toMatchObject({
      phase: 'deploy',
      usages: { controller: { cpuSeconds: 1, peakRssMb: 9 } },
      requests: { 'create pods 201': 1 },
    });
    expect(first.milestones['ready_s']).toBeCloseTo(0.25, 1);
    expect(first.requests).not.toHaveProperty('list pods 200');
    expect(second.start).toBeGreaterThanOrEqual(first.end);
    expect(harness.phases).toEqual([first, second]);
    expect(told[0]).toMatch(/^deploy: ready_s 0\.2\d, 1 writes, 0 events\n {4}1 create pods 201$/);
  });

  test('is over when nothing is written any more', async () => {
    const made = new Made();
    let left = 3;
    const requests = () => {
      if (left-- > 0) made.writes += 10;
      return made.requests();
    };
    const phase = await new Harness({ ...made, requests }, options).phase('late', made.act);
    expect(phase.requests).toEqual({ 'create pods 201': 21 });
  });

  test('has a companion beside it from its begin to its end', async () => {
    const made = new Made();
    const seen: string[] = [];
    const companion = {
      begin: (phase: string) => Promise.resolve(void seen.push(`begin ${phase}`)),
      end: (phase: string) => Promise.resolve(void seen.push(`end ${phase}`)),
    };
    const act = () => Promise.resolve(void seen.push('act'));
    await new Harness(made, { ...options, companion }).phase('deploy', act);
    expect(seen).toEqual(['begin deploy', 'act', 'end deploy']);
  });
});

describe('The folder of a run', () => {
  test('holds the timeline with commit, settings, machine and phases, also of a failure', async () => {
    const root = mkdtempSync(join(tmpdir(), 'coppice-timeline-'));
    onTestFinished(() => rmSync(root, { recursive: true }));
    const made = new Made();
    const harness = new Harness(made, options);
    await harness.phase('deploy', made.act);
    const commit = '0123456789abcdef';
    const settings = { replicas: 3 };
    const folder = new RunFolder(root, { benchmark: 'scale', commit, settings });
    folder.write(harness.phases, new Error('no pod came'));
    expect(folder.path).toContain(join(root, '0123456789ab'));
    expect(JSON.parse(readFileSync(join(folder.path, 'timeline.json'), 'utf8'))).toMatchObject({
      benchmark: 'scale',
      commit,
      settings,
      machine: { cores: expect.any(Number) },
      versions: { Node: process.versions.node },
      phases: [{ phase: 'deploy', writes: 1, usages: { controller: { cpuSeconds: 1 } } }],
      error: 'Error: no pod came',
    });
  });
});
