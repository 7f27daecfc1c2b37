// What Volcano needs is looked for before a start: a PodGroup CRD that knows sub-group policies.
import { describe, expect, it } from 'vitest';
import { exitCodeOf } from '#src/cli/exit.ts';
import type { Configuration } from '#src/config/schema.ts';
import type { KubeRequest, KubeResponse, KubeTransport } from '#src/kube/transport/transport.ts';
import { BackendError } from '#src/modules/errors.ts';
import { checkBackends } from '#src/modules/grove/capability.ts';
import { volcanoCrd } from '#test/support/backends.ts';
import { VirtualClock } from '#test/support/virtual-clock.ts';

const crd = 'podgroups.scheduling.volcano.sh';
const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${crd}`;
const withUid = (more: object = {}) => ({
  ...volcanoCrd(),
  metadata: { name: crd, uid: 'crd-uid' },
  ...more,
});
const versions = (served: boolean, properties: object) => ({
  spec: {
    versions: [
      {
        name: 'v1beta1',
        served,
        schema: { openAPIV3Schema: { properties: { spec: { properties } } } },
      },
    ],
  },
});

type Answer = number | object | 'refused';
type Names = Configuration['scheduler']['profiles'][number]['name'];

/** Each question gets the next answer; the last stays. Events are answered with `eventStatus`. */
async function run(answers: readonly Answer[], names: readonly Names[], eventStatus = 201) {
  const asked: KubeRequest[] = [];
  const lines: string[] = [];
  const clock = new VirtualClock();
  const request = (one: KubeRequest): Promise<KubeResponse> => {
    asked.push(one);
    const reply = (status: number, body: unknown) => Promise.resolve({ status, headers: {}, body });
    if (one.method === 'POST') return reply(eventStatus, {});
    const nth = asked.filter(({ method }) => method === 'GET').length - 1;
    const answer = answers[Math.min(nth, answers.length - 1)] ?? 404;
    if (answer === 'refused') return Promise.reject(new Error('connect ECONNREFUSED'));
    return typeof answer === 'object' ? reply(200, answer) : reply(answer, { message: 'no' });
  };
  const transport: KubeTransport = { request, watch: () => () => {} };
  const log = { line: (_level: string, message: string) => void lines.push(message) };
  const profiles = names.map((name) => ({ name, config: undefined }));
  const configuration = {
    scheduler: { profiles, defaultProfileName: 'default-scheduler' },
  } as const;
  const outcome = checkBackends({ configuration, transport, clock, log }).catch(
    (error: unknown) => error,
  );
  await clock.advance(60_000);
  return { asked, lines, outcome: await outcome };
}

const told = (asked: readonly KubeRequest[]) => asked.filter(({ method }) => method === 'POST');

describe('The capability check', () => {
  it('asks nothing where no backend needs anything', async () => {
    const { asked, outcome } = await run([404], ['default-scheduler', 'kai-scheduler']);
    expect(outcome).toBeUndefined();
    expect(asked).toEqual([]);
  });

  it('lets Volcano pass whose PodGroups know sub-group policies', async () => {
    const { asked, outcome } = await run([withUid()], ['volcano']);
    expect(outcome).toBeUndefined();
    expect(asked).toEqual([{ method: 'GET', path }]);
  });

  it.each([
    [
      'is of an older Volcano',
      withUid(versions(true, { minMember: {} })),
      /no spec.subGroupPolicy/,
    ],
    ['does not serve the version', withUid(versions(false, {})), /does not serve the version/],
  ])(
    'ends the start with exit code 5 and an Event on the CRD where that %s',
    async (_, body, why) => {
      const { asked, outcome } = await run([body], ['volcano']);
      expect(outcome).toBeInstanceOf(BackendError);
      expect(String(outcome)).toMatch(why);
      expect(exitCodeOf(outcome)).toBe(5);
      expect(told(asked)).toMatchObject([
        {
          path: '/api/v1/namespaces/default/events',
          body: {
            type: 'Warning',
            reason: 'VolcanoCapabilityUnavailable',
            message: expect.stringMatching(why),
            source: { component: 'scheduler-backend' },
            involvedObject: { kind: 'CustomResourceDefinition', name: crd, uid: 'crd-uid' },
          },
        },
      ]);
    },
  );

  it.each([
    ['is not installed', 404, /is not installed/],
    ['may not be read', 403, /cannot be read: FORBIDDEN/],
  ])('ends the start without an Event where the CRD %s', async (_, answer, why) => {
    const { asked, outcome } = await run([answer], ['volcano']);
    expect(String(outcome)).toMatch(why);
    expect(exitCodeOf(outcome)).toBe(5);
    expect(told(asked)).toEqual([]);
  });

  it('asks a server again that fails or cannot be reached, for a while', async () => {
    const soon = await run(['refused', 503, withUid()], ['volcano']);
    expect(soon.outcome).toBeUndefined();
    expect(soon.asked).toHaveLength(3);
    const never = await run(['refused'], ['volcano']);
    expect(exitCodeOf(never.outcome)).toBe(5);
    expect(never.asked).toHaveLength(31);
  });

  it('says in the log that the Event was not written', async () => {
    const { lines, outcome } = await run([withUid(versions(false, {}))], ['volcano'], 403);
    expect(outcome).toBeInstanceOf(BackendError);
    expect(lines).toEqual(['an Event on a CRD was not written']);
  });
});
