// What is asked of the cluster before a start with modules.nvidia: its kinds, or exit code 7.
import { describe, expect, it } from 'vitest';
import { exitCodeOf } from '#src/cli/exit.ts';
import { defaultConfiguration } from '#src/config/decode.ts';
import { createKubeClient } from '#src/kube/client.ts';
import type { KubeResponse, KubeTransport } from '#src/kube/transport/transport.ts';
import { PrerequisiteError } from '#src/modules/errors.ts';
import { preflight, servedEdges } from '#src/modules/index.ts';
import { nvidia } from '#machines/nvidia/module.ts';
import { seeded, VirtualClock } from '#test/support/virtual-clock.ts';

const group = '/apis/resource.nvidia.com/v1beta1';
const dra = '/apis/resource.k8s.io/v1';
const resources = (...names: readonly string[]) => ({ resources: names.map((name) => ({ name })) });
const both = resources('computedomains', 'computedomains/status', 'computedomaincliques');
const templates = resources('resourceclaims', 'resourceclaimtemplates');

/** With both modules, where Grove makes no ComputeDomains. */
async function run(answers: Readonly<Record<string, object | number>>, grove = false) {
  const clock = new VirtualClock();
  const request = ({ path }: { readonly path: string }): Promise<KubeResponse> => {
    const answer = answers[path] ?? 404;
    if (typeof answer === 'number') {
      return Promise.resolve({ status: answer, headers: {}, body: { message: 'no' } });
    }
    return Promise.resolve({ status: 200, headers: {}, body: answer });
  };
  const transport: KubeTransport = { request, watch: () => () => {} };
  const log = { line: () => {} };
  const random = seeded(1);
  const kube = createKubeClient({ transport, clock, random, log: log.line, host: 'server' });
  const configuration = {
    ...defaultConfiguration,
    modules: { grove, nvidia: true, agentsandbox: false },
  };
  const edges = servedEdges(configuration);
  const outcome = preflight(edges, { configuration, kube, transport, clock, log }).catch(
    (error: unknown) => error,
  );
  await clock.advance(60_000);
  return outcome;
}

describe('With modules.nvidia the preflight', () => {
  it('watches all kinds of the module where they are served', async () => {
    expect(await run({ [group]: both, [dra]: templates })).toEqual(nvidia.kinds);
  });

  it('watches ComputeDomains once with Grove, whose own switch for them is off', async () => {
    const watched = await run({ [group]: both, [dra]: templates }, true);
    expect(watched).toEqual(expect.arrayContaining(['PodCliqueSet', ...nvidia.kinds]));
    expect(new Set(watched as readonly string[]).size).toBe((watched as readonly string[]).length);
  });

  it.each([
    [
      'the group is not served',
      { [dra]: templates },
      /computedomains in .* computedomaincliques in/,
    ],
    [
      'there are no cliques',
      { [group]: resources('computedomains'), [dra]: templates },
      /does not serve computedomaincliques in resource.nvidia.com\/v1beta1; apply the CRDs/,
    ],
    [
      'there are no claim templates',
      { [group]: both },
      /resourceclaimtemplates in resource.k8s.io/,
    ],
    ['nobody may ask', { [group]: 403 }, /discovery of .*v1beta1 and .*v1 failed: FORBIDDEN/],
  ])('ends the start with exit code 7 where %s', async (_, answers, message) => {
    const outcome = await run(answers);
    expect(outcome).toBeInstanceOf(PrerequisiteError);
    expect(String(outcome)).toMatch(message);
    expect(String(outcome)).toContain('modules.nvidia is true');
    expect(exitCodeOf(outcome)).toBe(7);
  });
});
