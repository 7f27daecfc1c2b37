// What Prometheus' own linter says of the names of our families, each with one sample.
// test/e2e/process/scrapes.test.ts asks it about whole processes.
import { describe, expect, it } from 'vitest';
import { leftOut } from '#src/metrics/process.ts';
import { allFamilies, type NamedFamily } from '#test/surface/families.ts';
import { Exposition } from '#test/support/exposition.ts';
import { linted, withoutPromtool } from './promtool.ts';
import { quietMetrics } from '#test/support/metrics.ts';

const withProcess = (): Promise<string> =>
  quietMetrics({ controllers: ['podgang'], withProcess: true }).render();

function sampleOf({ name, type, labels, help }: NamedFamily): string {
  const pairs = labels.map((label) => `${label}="a"`);
  const line = (suffix: string, more: readonly string[] = []): string =>
    `${name}${suffix}{${[...pairs, ...more].join(',')}} 1`;
  const samples =
    type === 'histogram'
      ? [line('_bucket', ['le="+Inf"']), line('_sum'), line('_count')]
      : [line('')];
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...samples, ''].join('\n');
}

describe.skipIf(withoutPromtool !== '')(`promtool check metrics${withoutPromtool}`, () => {
  it('has nothing to say of a family, but of the unit in four names of agent-sandbox', async () => {
    const said = await linted(allFamilies.map(sampleOf).join(''));
    expect(said.toSorted()).toEqual(
      [
        'agent_sandbox_claim_controller_startup_latency_ms',
        'agent_sandbox_claim_startup_latency_ms',
        'agent_sandbox_client_claim_startup_latency_ms',
        'agent_sandbox_creation_latency_ms',
      ].map((name) => `${name} metric names should not contain abbreviated units`),
    );
  });

  it('has nothing to say of the families of the process', async () => {
    expect(await linted(await withProcess())).toEqual([]);
  });

  it('finds a gauge that is called a total', async () => {
    const said = await linted('# HELP a_total A\n# TYPE a_total gauge\na_total 1\n');
    expect(said).toEqual(['a_total non-counter metrics should not have "_total" suffix']);
  });
});

describe('The families of the process', () => {
  it('are without those that are left out, and with what is to be asked instead', async () => {
    const { families } = new Exposition(await withProcess());
    expect(Object.keys(leftOut).filter((name) => families.has(name))).toEqual([]);
    for (const query of Object.values(leftOut)) {
      const asked = /(?:nodejs|process)_\w+/.exec(query)?.[0] ?? '';
      expect([...families]).toContain(asked);
    }
  });
});
