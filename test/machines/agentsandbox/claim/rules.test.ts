// What claims may ask for: the table of rules, variables and volumes.
import { describe, expect, it } from 'vitest';
import { metadataRules, type MetadataRule } from '#machines/agentsandbox/binding/rules.ts';
import { withEnv } from '#machines/agentsandbox/claim/env.ts';
import { mergedVolumes } from '#machines/agentsandbox/claim/volumes.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { World } from './world.ts';

type Example = MetadataRule['accepts'];

const judge = (rule: MetadataRule, { labels = {}, annotations = {}, template }: Example) =>
  rule.check(
    { labels, annotations },
    {
      domains: ['sandbox.users.io'],
      template: template && { labels: {}, annotations: {}, ...template },
    },
  );

describe('a rule of additionalPodMetadata', () => {
  for (const rule of metadataRules) {
    const { id, demands, accepts, refuses } = rule;
    it(`${id} demands: ${demands} (R30)`, () => {
      for (const other of metadataRules) expect(judge(other, accepts)).toEqual([]);
      expect(judge(rule, refuses).join()).toContain(refuses.says);
      const others = metadataRules.filter((other) => judge(other, refuses).length > 0);
      expect(others.map((one) => one.id)).toEqual([...(refuses.also ?? []), id].toSorted());
    });
  }
});

const asked = (labels: JsonObject) => ({ spec: { additionalPodMetadata: { labels } } });

describe('a claim that asks for what it may not have', () => {
  it('is told so at once, gets nothing, and is left alone until it changes (R28)', () => {
    const world = new World()
      .warm(1)
      .claim('claim', asked({ team: 'a' }))
      .rest();
    expect(world.ready()).toBe('False InvalidMetadata');
    expect(String(world.condition('Ready')?.['message'])).toMatch(
      /^invalid additionalPodMetadata: /,
    );
    expect(world.sandboxesOf('claim')).toEqual([]);
    world.done.length = 0;
    world.pass(600_000).rest();
    expect(world.done).toEqual([]);
    world.edit(
      'SandboxClaim',
      'claim',
    )({
      spec: { additionalPodMetadata: { labels: { team: null, 'sandbox.users.io/team': 'a' } } },
    });
    world.rest();
    expect(world.ready()).toBe('True DependenciesReady');
  });

  it('is told so where its template says another thing, and recovers with that (G9, R28)', () => {
    const metadata = { labels: { 'sandbox.users.io/a': '1' } };
    const spec = { containers: [{ name: 'main', image: 'one' }] };
    const world = new World().template({ podTemplate: { metadata, spec } }).pool({ replicas: 1 });
    world.rest();
    for (const { metadata: one } of world.sandboxes()) world.server.run(one.name, true);
    world
      .rest()
      .claim('claim', asked({ 'sandbox.users.io/a': '2' }))
      .rest();
    expect(world.ready()).toBe('False InvalidMetadata');
    expect(world.done.filter((one) => one === 'patch SandboxClaim claim')).toEqual([]);
    world.edit(
      'SandboxTemplate',
      'template',
    )({
      spec: { podTemplate: { metadata: { labels: { 'sandbox.users.io/a': '2' } } } },
    });
    world.rest();
    expect(world.ready()).toBe('True DependenciesReady');
  });

  it('says which of its variables or volumes are refused, and waits (R28, K3)', () => {
    const env = [{ name: 'A', value: '1' }];
    const world = new World().template().pool().claim('claim', { spec: { env } }).rest();
    expect(world.condition('Ready')).toMatchObject({
      reason: 'EnvVarsInjectionRejected',
      message:
        'environment variable injection rejected: environment variable injection is not allowed ' +
        'by the template policy',
    });
    const volumeClaimTemplates = [{ metadata: { name: 'data' }, spec: {} }];
    world.claim('other', { spec: { volumeClaimTemplates } }).rest();
    expect(world.condition('Ready', 'other')).toMatchObject({
      reason: 'VolumeClaimTemplatesError',
      message: 'volume claim templates are disallowed by the template',
    });
    world
      .edit(
        'SandboxTemplate',
        'template',
      )({ spec: { envVarsInjectionPolicy: 'Allowed' } })
      .rest();
    expect(world.sandboxesOf('claim')).toEqual(['claim']);
  });
});

const pod = (): JsonObject => ({
  initContainers: [{ name: 'init' }],
  containers: [
    { name: 'main', env: [{ name: 'A', value: 'template' }] },
    { name: 'side', envFrom: [{}] },
  ],
});

describe('a variable of a claim', () => {
  it('goes to the first container, or to the one that it names', () => {
    const variables = [
      { name: 'B', value: '1' },
      { name: 'C', value: '2', containerName: 'init' },
    ];
    expect(withEnv(pod(), variables, 'Allowed')).toMatchObject({
      initContainers: [{ name: 'init', env: [{ name: 'C', value: '2' }] }],
      containers: [
        {
          env: [
            { name: 'A', value: 'template' },
            { name: 'B', value: '1' },
          ],
        },
        {},
      ],
    });
  });

  const refusals: readonly (readonly [JsonObject, string, string])[] = [
    [{ name: 'B', value: '', containerName: 'x' }, 'ReconcilerError', 'container "x" is not in'],
    [
      { name: 'A', value: '' },
      'ReconcilerError',
      'override is not allowed by the template policy for variable "A"',
    ],
    [{ name: 'B', value: '', containerName: 'side' }, 'EnvVarsInjectionRejected', 'has envFrom'],
  ];
  for (const [variable, reason, says] of refusals) {
    it(`is refused under Allowed: ${says} (R29)`, () => {
      const result = withEnv(pod(), [variable], 'Allowed');
      expect(result).toMatchObject({ reason, message: expect.stringContaining(says) });
    });
  }

  it('takes the place of another one under Overrides', () => {
    const side = { name: 'X', value: '1', containerName: 'side' };
    expect(withEnv(pod(), [{ name: 'A', value: 'claim' }, side], 'Overrides')).toMatchObject({
      containers: [{ env: [{ name: 'A', value: 'claim' }] }, { env: [{ name: 'X' }] }],
    });
  });
});

const volume = (name: string, size = '1Gi') => ({ metadata: { name }, spec: { size } });

describe('a volume of a claim', () => {
  it('comes after those of the template', () => {
    const all = mergedVolumes([volume('a')], [volume('b')], 'Allowed');
    expect(all).toEqual([volume('a'), volume('b')]);
  });

  it('takes the place of another one under Overrides, and only there', () => {
    const own = [volume('a'), volume('b')];
    const others = [volume('c'), volume('b', '2Gi')];
    expect(mergedVolumes(own, others, 'Overrides')).toEqual([
      volume('a'),
      volume('b', '2Gi'),
      volume('c'),
    ]);
    expect(mergedVolumes(own, others, 'Allowed')).toMatchObject({
      message:
        'overriding volume claim templates is forbidden by the template: cannot override template ' +
        'volume "b"',
    });
  });

  it('needs a name of its own', () => {
    for (const wrong of [[volume('')], [volume('a'), volume('a')]]) {
      expect(mergedVolumes([], wrong, 'Allowed')).toMatchObject({
        reason: 'VolumeClaimTemplatesError',
        message: expect.stringMatching(/^invalid volume claim templates: /),
      });
      expect(mergedVolumes(wrong, [], 'Disallowed')).toMatchObject({ isRefused: true });
    }
  });
});
