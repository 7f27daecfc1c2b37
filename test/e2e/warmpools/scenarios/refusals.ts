// Claims that ask for what they must not have: each says why, keeps nothing and takes no member,
// and is served once it asks for less.
import { expect } from 'vitest';
import { metadataRules } from '#machines/agentsandbox/binding/rules.ts';
import { at } from '#machines/kubernetes/json.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import type { Scenario } from '../stage/describe.ts';
import { podTemplate } from '../stage/pod-template.ts';
import type { Scene } from '../stage/scene.ts';

interface Refused {
  readonly name: string;
  readonly pool: string;
  readonly spec: JsonObject;
  /** How the message begins, without the words that all of its reason have. */
  readonly says: string;
  readonly reason: string;
}

/** What the examples of all rules on metadata expect of their template. */
const metadata: JsonObject = {
  labels: Object.assign({}, ...metadataRules.map(({ refuses }) => refuses.template?.labels)),
  annotations: Object.assign(
    {},
    ...metadataRules.map(({ refuses }) => refuses.template?.annotations),
  ),
};

const byMetadata: readonly Refused[] = metadataRules.map(({ id, refuses }) => ({
  name: id.toLowerCase(),
  pool: 'warm',
  spec: {
    additionalPodMetadata: {
      ...(refuses.labels && { labels: refuses.labels }),
      ...(refuses.annotations && { annotations: refuses.annotations }),
    },
  },
  says: refuses.says,
  reason: 'InvalidMetadata',
}));

const env = (name: string, containerName?: string): JsonObject => ({
  env: [{ name, value: 'x', ...(containerName !== undefined && { containerName }) }],
});
const rejected = 'environment variable injection rejected: ';

const byVariables: readonly Refused[] = [
  {
    name: 'env-disallowed',
    pool: 'warm',
    spec: env('NEW'),
    says: `${rejected}environment variable injection is not allowed by the template policy`,
    reason: 'EnvVarsInjectionRejected',
  },
  {
    name: 'env-from',
    pool: 'open',
    spec: env('NEW', 'filled'),
    says: `${rejected}container "filled" has envFrom`,
    reason: 'EnvVarsInjectionRejected',
  },
  {
    name: 'env-there',
    pool: 'open',
    spec: env('OLD'),
    says: 'environment variable override is not allowed by the template policy for variable "OLD"',
    reason: 'ReconcilerError',
  },
  {
    name: 'env-nowhere',
    pool: 'open',
    spec: env('NEW', 'none'),
    says: 'container "none" is not in the pod of the template',
    reason: 'ReconcilerError',
  },
];

const volume = (name: string): JsonObject => ({
  metadata: { name },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
});
const volumes = (...names: readonly string[]): JsonObject => ({
  volumeClaimTemplates: names.map(volume),
});

const byVolumes: readonly Refused[] = [
  {
    name: 'volumes-disallowed',
    pool: 'warm',
    spec: volumes('new'),
    says: 'volume claim templates are disallowed by the template',
    reason: 'VolumeClaimTemplatesError',
  },
  {
    name: 'volumes-there',
    pool: 'open',
    spec: volumes('old'),
    says: 'overriding volume claim templates is forbidden by the template: cannot override template volume "old"',
    reason: 'VolumeClaimTemplatesError',
  },
  {
    name: 'volumes-twice',
    pool: 'open',
    spec: volumes('new', 'new'),
    says: 'invalid volume claim templates: the name "new" is there twice',
    reason: 'VolumeClaimTemplatesError',
  },
  {
    name: 'volumes-nameless',
    pool: 'open',
    spec: { volumeClaimTemplates: [{ spec: volume('')['spec'] ?? {} }] },
    says: 'invalid volume claim templates: a name is empty',
    reason: 'VolumeClaimTemplatesError',
  },
];

const all = [...byMetadata, ...byVariables, ...byVolumes];

async function opened(scene: Scene): Promise<void> {
  await scene.template('python', { podTemplate: podTemplate({}, metadata) });
  const image = 'registry.example/none:1';
  const filled = {
    name: 'filled',
    image,
    envFrom: [{ configMapRef: { name: 'none', optional: true } }],
  };
  const containers = [{ name: 'main', image, env: [{ name: 'OLD', value: '1' }] }, filled];
  await scene.template('open', {
    podTemplate: podTemplate({ containers }),
    envVarsInjectionPolicy: 'Allowed',
    volumeClaimTemplatesPolicy: 'Allowed',
    ...volumes('old'),
  });
  await scene.volumes(all.length);
  await scene.pool('warm', 1);
  await scene.pool('open', 0, { sandboxTemplateRef: { name: 'open' } });
  await scene.full('warm', 1);
}

export const refusedClaims: Scenario = {
  name: 'refused',
  title: `${all.length} claims that ask for what they must not have say so and cost nothing, and are served once they ask for less (R28, R29, R30)`,
  run: async (scene) => {
    await scene.controller();
    await opened(scene);
    for (const { name, spec, pool } of all) await scene.claim(name, spec, pool);
    for (const { name, says, reason } of all) {
      await scene.until(
        `${name} says ${says}`,
        () =>
          scene.said('sandboxclaims', name).startsWith(`False ${reason}: `) &&
          scene.said('sandboxclaims', name).includes(says),
        () => scene.said('sandboxclaims', name),
      );
    }
    const writes = await scene.atRest();
    expect(scene.all('sandboxes')).toHaveLength(1);
    expect(writes['update sandboxclaims/status 200'] ?? 0).toBeLessThanOrEqual(all.length);
    const less = { additionalPodMetadata: null, env: null, volumeClaimTemplates: null };
    for (const { name } of all) await scene.patch('sandboxclaims', name, { spec: less });
    await scene.ready('sandboxclaims', ...all.map(({ name }) => name));
    await scene.full('warm', 1);
    await scene.atRest();
    expect(await scene.damage({ warm: 1, open: 0 })).toEqual([]);
    expect(at(scene.one('sandboxclaims', 'm1'), 'status', 'sandbox', 'name')).not.toBe('');
  },
};
