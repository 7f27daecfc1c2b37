// How the page reads states: every state of every chart has its place among well, waiting, failing
// and the others, so that no new one is shown as if nothing were known of it.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Charts } from '#src/inspector/protocol.ts';
import { readState, toneOf, toneOfRow, wordOfRow } from '#src/inspector/page/core/states.ts';
import { states } from './rows.ts';

const charts: Charts = JSON.parse(
  readFileSync(new URL('../../../src/inspector/charts.json', import.meta.url), 'utf8'),
);

describe('A state', () => {
  it.each(Object.keys(charts.machines))('of the chart of %s has a tone', (machine) => {
    const leaves = (charts.machines[machine]?.states ?? []).filter(
      ({ kind }) => kind === 'atomic' || kind === 'final',
    );
    const unknown = leaves.filter(({ path, name }) => toneOf(regionOf(path), name) === undefined);
    expect(unknown.map(({ path }) => path)).toEqual([]);
  });

  it('is told by the gravest of its regions, and by readiness among equals', () => {
    const { headline, leaves, paths } = readState(JSON.stringify(states.cliqueUnscheduled));
    expect(headline.path).toBe('active.readiness.unscheduled');
    expect(leaves).toHaveLength(5);
    expect(paths).toContain('active.scheduling');
    expect(paths).toContain('active.scheduling.insufficient');
  });

  it('is parked or restarting before all else', () => {
    const row = { state: '"waiting"', isParked: false };
    expect(wordOfRow(row)).toBe('restarting');
    expect(toneOfRow(row)).toBe('bad');
    expect(wordOfRow({ ...row, isParked: true })).toBe('parked');
  });

  it('that nobody knows is shown by its name', () => {
    expect(readState('{"active":{"mood":"gloomy"}}').headline).toMatchObject({
      name: 'gloomy',
      tone: 'idle',
    });
    expect(readState('not json').headline.name).toBe('not json');
  });
});

const regionOf = (path: string): string => path.split('.').at(-2) ?? '';
