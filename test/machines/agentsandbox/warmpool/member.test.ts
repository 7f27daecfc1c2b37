// The Sandbox that a warm pool makes of its template.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { blueprintOf, isStale } from '#machines/agentsandbox/objects/blueprint.ts';
import { buildMember, memberName } from '#machines/agentsandbox/objects/member.ts';
import { readPool } from '#machines/agentsandbox/objects/pool.ts';
import { readSandbox } from '#machines/agentsandbox/objects/sandbox.ts';
import { readTemplate } from '#machines/agentsandbox/objects/template.ts';
import { checkSubdomain } from '#machines/kubernetes/names.ts';
import type { JsonObject, KubeObject } from '#machines/kubernetes/objects.ts';
import { poolObject, sure, templateObject } from './objects.ts';

const templateOf = (podSpec: JsonObject, more: JsonObject = {}) =>
  sure(
    readTemplate({
      ...templateObject(),
      spec: { podTemplate: { spec: podSpec }, ...more },
    }),
  );

const pool = sure(readPool(poolObject()));
const evictable = { isEvictable: true };

const memberOf = (podSpec: JsonObject, more: JsonObject = {}) =>
  buildMember(pool, templateOf(podSpec, more), 0, evictable);

const read = (object: KubeObject) =>
  sure(readSandbox({ ...object, metadata: { ...object.metadata, uid: 'uid' } }));

describe('a member', () => {
  const plain = { containers: [{ name: 'main', image: 'one' }] };

  it('has its labels, annotations and owner from the start (2.3.8, R18)', () => {
    const { metadata, spec } = memberOf(plain);
    const { name } = metadata;
    expect(metadata.labels).toMatchObject({
      'agents.x-k8s.io/warm-pool-sandbox': expect.any(String),
      'agents.x-k8s.io/sandbox-template-ref-hash': '694aaa0b',
      'agents.x-k8s.io/launch-type': 'warm',
      'agents.x-k8s.io/created-by': 'controller',
    });
    expect(metadata.annotations).toMatchObject({
      'agents.x-k8s.io/sandbox-template-ref': 'template',
      'agents.x-k8s.io/pod-name': name,
      'coppice.dev/warm-pool': 'pool',
    });
    expect(metadata.ownerReferences).toMatchObject([
      { kind: 'SandboxWarmPool', name: 'pool', uid: 'uid-pool', controller: true },
    ]);
    const { podTemplate } = spec as { podTemplate: JsonObject };
    expect(podTemplate['metadata']).toMatchObject({
      annotations: { 'cluster-autoscaler.kubernetes.io/safe-to-evict': 'true' },
      labels: { 'agents.x-k8s.io/sandbox-template-hash': expect.any(String) },
    });
  });

  it('keeps what its template says of eviction (2.3.8)', () => {
    const key = 'cluster-autoscaler.kubernetes.io/safe-to-evict';
    const podTemplate = { spec: plain, metadata: { annotations: { [key]: 'false' } } };
    const template = sure(readTemplate({ ...templateObject(), spec: { podTemplate } }));
    expect(JSON.stringify(buildMember(pool, template, 0, evictable))).toContain(`"${key}":"false"`);
    const { spec } = buildMember(pool, templateOf(plain), 0, { isEvictable: false });
    expect(JSON.stringify(spec)).not.toContain(key);
  });

  it('has the secure defaults where its template leaves them open (2.2)', () => {
    const { podTemplate } = memberOf(plain)['spec'] as { podTemplate: JsonObject };
    expect(podTemplate['spec']).toMatchObject({
      automountServiceAccountToken: false,
      dnsPolicy: 'None',
      dnsConfig: { nameservers: ['8.8.8.8', '1.1.1.1'] },
    });
    const own = memberOf({ ...plain, automountServiceAccountToken: true, dnsPolicy: 'Default' });
    const given = own['spec'] as { podTemplate: JsonObject };
    expect(given.podTemplate['spec']).toMatchObject({
      automountServiceAccountToken: true,
      dnsPolicy: 'Default',
    });
    for (const more of [{ networkPolicy: {} }, { networkPolicyManagement: 'Unmanaged' }]) {
      expect(JSON.stringify(memberOf(plain, more))).not.toContain('dnsPolicy');
    }
  });

  it('has a name of 63 characters at most, by its number alone (P9)', () => {
    fc.assert(
      fc.property(
        fc
          .stringMatching(/^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/)
          .filter((name) => checkSubdomain(name).length === 0),
        fc.nat(),
        (name, ordinal) => {
          const made = memberName({ name, uid: 'uid' }, ordinal);
          expect(made.length).toBeLessThanOrEqual(63);
          expect(made).toBe(memberName({ name, uid: 'uid' }, ordinal));
        },
      ),
    );
    const long = { name: 'a'.repeat(253), uid: 'uid' };
    expect(memberName(long, 1)).toMatch(/^a{58}[a-z0-9]{5}$/);
    expect(memberName(long, 1)).not.toBe(memberName({ ...long, uid: 'other' }, 1));
  });
});

describe('a member of before', () => {
  const limits = (memory: string) => ({
    containers: [{ name: 'main', image: 'one', resources: { limits: { memory } } }],
  });

  it('is fresh by its label, whatever its spec says (2.3.4)', () => {
    const template = templateOf(limits('1Gi'));
    const member = read(buildMember(pool, template, 0, evictable));
    expect(isStale({ ...member, podTemplate: { spec: {} } }, template)).toBe(false);
  });

  it('is compared where its label is another one, by amount (2.3.4, Q26, R44)', () => {
    const made = read(memberOf(limits('1024Mi')));
    const labels = { ...made.labels, 'agents.x-k8s.io/sandbox-template-hash': 'of another kind' };
    const old = { ...made, labels };
    expect(isStale(old, templateOf(limits('1Gi')))).toBe(false);
    expect(isStale(old, templateOf(limits('2Gi')))).toBe(true);
    const args = (one: string) => ({ containers: [{ name: 'main', args: [one] }] });
    const text = { ...read(memberOf(args('1000m'))), labels };
    expect(isStale(text, templateOf(args('1')))).toBe(true);
  });

  it('is stale by its claims and its Service too, not by metadata (R44)', () => {
    const spec = limits('1Gi');
    const claims = [{ metadata: { name: 'data' }, spec: { storageClassName: 'fast' } }];
    const made = read(memberOf(spec, { volumeClaimTemplates: claims, service: true }));
    const stale = (more: JsonObject): boolean => isStale(made, templateOf(spec, more));
    const same = { volumeClaimTemplates: claims, service: true };
    expect(stale(same)).toBe(false);
    expect(stale({ ...same, service: false })).toBe(true);
    expect(stale({ service: true })).toBe(true);
    const marked = [
      { metadata: { name: 'data', labels: { a: 'b' } }, spec: claims[0]?.spec ?? {} },
    ];
    expect(stale({ ...same, volumeClaimTemplates: marked })).toBe(false);
  });

  it('is stale where the pool names another template (2.3.4)', () => {
    const made = read(memberOf(limits('1Gi')));
    const other = { ...templateOf(limits('1Gi')), name: 'other' };
    expect(isStale(made, other)).toBe(true);
  });

  it('of a template that says the same in other words has the same hash (R44)', () => {
    const one = templateOf({ ...limits('1Gi'), nodeSelector: {}, tolerations: [] });
    expect(blueprintOf(one).hash).toBe(blueprintOf(templateOf(limits('1073741824'))).hash);
    const other = templateOf({ ...limits('1Gi'), volumes: [{ name: 'tmp', emptyDir: {} }] });
    expect(blueprintOf(other).hash).not.toBe(blueprintOf(one).hash);
  });
});
