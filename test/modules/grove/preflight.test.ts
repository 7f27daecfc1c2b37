// What is asked of the cluster before a start: the API of ComputeDomains, or what is left of them.
import { describe, expect, it } from 'vitest';
import { exitCodeOf } from '#src/cli/exit.ts';
import { defaultConfiguration } from '#src/config/decode.ts';
import { createKubeClient } from '#src/kube/client.ts';
import type { KubeResponse, KubeTransport } from '#src/kube/transport/transport.ts';
import { PrerequisiteError } from '#src/modules/errors.ts';
import { watchesComputeDomains } from '#src/modules/grove/preflight.ts';
import { watchedKinds } from '#src/modules/grove/settings.ts';
import { seeded, VirtualClock } from '#test/support/virtual-clock.ts';

const group = '/apis/resource.nvidia.com/v1beta1';
const leftovers = `${group}/computedomains?limit=1&labelSelector=app.kubernetes.io%2Fcomponent%3Dpcs-computedomain`;

type Answer = number | object | 'silent' | 'refused';

const served = { resources: [{ name: 'computedomains' }, { name: 'computedomains/status' }] };
const others = { resources: [{ name: 'computedomaincliques' }] };
const some = { items: [{ metadata: { name: 'demo-0-train' } }] };

/** Answers by path, each next time the next one; the last stays. */
function stage(isOn: boolean, answers: Record<string, readonly Answer[]>) {
  const asked: string[] = [];
  const lines: string[] = [];
  const clock = new VirtualClock();
  const request = ({ path }: { readonly path: string }): Promise<KubeResponse> => {
    asked.push(path);
    const given = answers[path] ?? [404];
    const nth = asked.filter((one) => one === path).length - 1;
    const answer = given[Math.min(nth, given.length - 1)] ?? 404;
    if (answer === 'silent') return new Promise(() => {});
    if (answer === 'refused') return Promise.reject(new Error('connect ECONNREFUSED'));
    if (typeof answer === 'object')
      return Promise.resolve({ status: 200, headers: {}, body: answer });
    return Promise.resolve({ status: answer, headers: {}, body: { message: 'no' } });
  };
  const transport: KubeTransport = { request, watch: () => () => {} };
  const log = { line: (_level: string, message: string) => void lines.push(message) };
  const random = seeded(1);
  const kube = createKubeClient({ transport, clock, random, log: log.line, host: 'server' });
  const configuration = { network: { autoMNNVLEnabled: isOn } };
  const outcome = watchesComputeDomains({ configuration, kube, transport, clock, log }).catch(
    (error: unknown) => error,
  );
  return { asked, lines, clock, outcome };
}

async function run(isOn: boolean, answers: Record<string, readonly Answer[]>) {
  const { clock, outcome, ...rest } = stage(isOn, answers);
  await clock.advance(60_000);
  return { ...rest, outcome: await outcome };
}

describe('with network.autoMNNVLEnabled the preflight', () => {
  it('watches ComputeDomains where they are served, and asks about no other API', async () => {
    const { outcome, asked } = await run(true, { [group]: [served] });
    expect(outcome).toBe(true);
    expect(asked).toEqual([group]);
  });

  it.each([
    ['the group is not served', 404, /does not serve computedomains in resource.nvidia.com/],
    ['the group has other resources', others, /does not serve computedomains/],
    ['nobody may ask', 403, /failed: FORBIDDEN/],
  ])('ends the start with exit code 7 where %s', async (_, answer, message) => {
    const { outcome } = await run(true, { [group]: [answer] });
    expect(outcome).toBeInstanceOf(PrerequisiteError);
    expect(String(outcome)).toMatch(message);
    expect(exitCodeOf(outcome)).toBe(7);
  });

  it('asks a server again that fails or cannot be reached, for a while', async () => {
    const soon = await run(true, { [group]: ['refused', 503, served] });
    expect(soon.outcome).toBe(true);
    expect(soon.asked).toHaveLength(3);
    const never = await run(true, { [group]: ['refused'] });
    expect(exitCodeOf(never.outcome)).toBe(7);
    expect(String(never.outcome)).toMatch(/UNREACHABLE: connect ECONNREFUSED/);
    expect(never.asked).toHaveLength(31);
  });
});

describe('without it the preflight', () => {
  it('asks once, where no cluster serves ComputeDomains', async () => {
    const { outcome, asked } = await run(false, {});
    expect([outcome, asked]).toEqual([false, [group]]);
  });

  it('watches those that an earlier configuration left behind, and says so (10.2 gap 11)', async () => {
    const { outcome, lines } = await run(false, { [group]: [served], [leftovers]: [some] });
    expect(outcome).toBe(true);
    expect(lines).toHaveLength(1);
    const none = await run(false, { [group]: [served], [leftovers]: [{ items: [] }] });
    expect([none.outcome, none.lines]).toEqual([false, []]);
  });

  it.each([
    ['nobody may look', { [group]: [served], [leftovers]: [403] }],
    ['no list comes', { [group]: [served], [leftovers]: ['silent'] }],
    ['the list is refused', { [group]: [served], [leftovers]: ['refused'] }],
    ['no answer comes', { [group]: ['silent'] }],
    ['the server cannot be reached', { [group]: ['refused'] }],
  ] satisfies [string, Record<string, Answer[]>][])('starts where %s', async (_, answers) => {
    expect((await run(false, answers)).outcome).toBe(false);
  });
});

describe('the kinds that are watched', () => {
  it('have ComputeDomains among them only where the preflight says so', () => {
    expect(watchedKinds(defaultConfiguration, [])).not.toContain('ComputeDomain');
    expect(watchedKinds(defaultConfiguration, ['computeDomains'])).toContain('ComputeDomain');
  });
});
