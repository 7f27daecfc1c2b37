// What the webhooks answer to reviews: patches, refusals with causes, warnings, lookups.
import { describe, expect, it } from 'vitest';
import { at, list, object } from '#machines/kubernetes/json.ts';
import type { Json, JsonObject } from '#machines/kubernetes/objects.ts';
import { defaulted } from '#src/admission/defaults.ts';
import { clusterLookups } from '#src/admission/lookups.ts';
import { systemClock } from '#src/time/clock.ts';
import { ask, ports } from './ask.ts';
import { baseBinding, baseSet, baseSettings, replaced } from './examples.ts';

const volcanoSettings = {
  ...baseSettings,
  defaultSchedulerName: 'volcano',
  schedulerNames: ['volcano'],
};
const constrained = replaced(baseSet, {
  'spec.template.topologyConstraint': { topologyName: 'fabric', pack: { required: 'host' } },
});
const deleted = (set: JsonObject): JsonObject =>
  replaced(set, { 'metadata.deletionTimestamp': '2026-01-01T00:00:00Z' });

describe('The defaulting webhook', () => {
  it('fills in what is missing as a JSON patch', async () => {
    const object = replaced(baseSet, { 'spec.template.terminationDelay': null });
    expect(await ask('default-podcliqueset', { object })).toEqual({
      allowed: true,
      patch: [{ op: 'add', path: '/spec/template/terminationDelay', value: '4h0m0s' }],
    });
  });

  it('leaves an object alone that is being deleted (10.1 rule 56)', async () => {
    const object = deleted(replaced(baseSet, { 'spec.template.terminationDelay': null }));
    const answer = await ask('default-podcliqueset', { operation: 'UPDATE', object });
    expect(answer).toEqual({ allowed: true });
  });
});

describe('The validating webhook for sets', () => {
  it('allows a valid set and asks nobody', async () => {
    const { ports: using, asked } = ports();
    const answer = await ask('validate-podcliqueset', {}, using);
    expect(answer).toEqual({ allowed: true, warnings: [] });
    expect(asked).toEqual([]);
  });

  it('refuses with 403, one text of all errors and a cause for each', async () => {
    const object = replaced(baseSet, {
      'spec.replicas': -1,
      'spec.template.cliques[1].spec.minAvailable': 0,
    });
    const path = 'spec.template.cliques[1].spec.minAvailable';
    const text = 'Invalid value: 0: must be greater than 0';
    expect(await ask('validate-podcliqueset', { object })).toMatchObject({
      allowed: false,
      status: {
        code: 403,
        reason: 'Forbidden',
        message: `[spec.replicas: Invalid value: -1: must be greater than or equal to 0, ${path}: ${text}]`,
        details: {
          name: 'base',
          group: 'grove.io',
          kind: 'PodCliqueSet',
          causes: [
            { reason: 'FieldValueInvalid', field: 'spec.replicas' },
            { reason: 'FieldValueInvalid', field: path, message: text },
          ],
        },
      },
    });
  });

  it('sends warnings with an acceptance', async () => {
    const object = replaced(baseSet, {
      'spec.template.cliques[0].spec.podSpec.restartPolicy': 'Never',
    });
    const { allowed, warnings } = await ask('validate-podcliqueset', { object });
    expect(allowed).toBe(true);
    expect(warnings).toEqual([expect.stringContaining('restartPolicy')]);
  });

  it('looks the binding up by the name that the constraints agree on', async () => {
    const { ports: using, asked } = ports({ settings: { ...baseSettings, topologyAware: true } });
    const answer = await ask('validate-podcliqueset', { object: constrained }, using);
    expect(asked).toEqual(['binding fabric']);
    expect(answer.status?.['message']).toContain('pack.required: Invalid value: "host"');
  });

  it('looks up a Volcano queue only for sets that go there', async () => {
    const { ports: using, asked } = ports({ settings: volcanoSettings });
    expect((await ask('validate-podcliqueset', {}, using)).allowed).toBe(true);
    expect(asked).toEqual(['queue default']);
  });

  it('judges nothing of an object that is being deleted, and asks nobody', async () => {
    const broken = deleted(replaced(baseSet, { 'spec.replicas': -1 }));
    const { ports: using, asked } = ports({ settings: volcanoSettings });
    const update = { operation: 'UPDATE', object: broken, oldObject: deleted(baseSet) };
    expect((await ask('validate-podcliqueset', update, using)).allowed).toBe(true);
    expect(asked).toEqual([]);
  });

  it('looks nothing up for an update that changes no spec, nor the binding for one that does', async () => {
    const settings = { ...volcanoSettings, topologyAware: true };
    const { ports: using, asked } = ports({ settings });
    const finalizers = replaced(baseSet, { 'metadata.finalizers': ['a.io/b'] });
    await ask(
      'validate-podcliqueset',
      { operation: 'UPDATE', object: finalizers, oldObject: baseSet },
      using,
    );
    expect(asked).toEqual([]);
    const scaled = replaced(constrained, { 'spec.replicas': 3 });
    await ask(
      'validate-podcliqueset',
      { operation: 'UPDATE', object: scaled, oldObject: constrained },
      using,
    );
    expect(asked).toEqual(['queue default']);
  });

  it('lets finalizers be added to a set that would be refused today', async () => {
    const oldObject = replaced(baseSet, { 'spec.template.cliques[0].spec.minAvailable': 9 });
    const object = replaced(oldObject, {
      'metadata.finalizers': ['grove.io/podcliqueset.grove.io'],
    });
    const update = { operation: 'UPDATE', object, oldObject };
    expect((await ask('validate-podcliqueset', update)).allowed).toBe(true);
  });

  it('lets finalizers be added to a set that is older than the defaults', async () => {
    const oldObject = replaced(baseSet, {
      'spec.template.cliques[0].spec.minAvailable': null,
      'spec.template.headlessServiceConfig': null,
    });
    const now = object(defaulted(oldObject));
    expect(now['spec']).not.toEqual(oldObject['spec']);
    const patched = replaced(now, { 'metadata.finalizers': ['grove.io/podcliqueset.grove.io'] });
    const update = { operation: 'UPDATE', object: patched, oldObject };
    expect((await ask('validate-podcliqueset', update)).status).toBeUndefined();
  });

  it('compares by name, and by place only where the order counts (10.1 rule 57)', async () => {
    const cliques = ['worker', 'leader', 'router'].map((name) =>
      list(at(baseSet, 'spec', 'template', 'cliques')).find((each) => at(each, 'name') === name),
    );
    const turned = { 'spec.template.cliques': JSON.parse(JSON.stringify(cliques)) as Json };
    const update = { operation: 'UPDATE', object: replaced(baseSet, turned), oldObject: baseSet };
    expect((await ask('validate-podcliqueset', update)).allowed).toBe(true);

    const order = { 'spec.template.cliqueStartupType': 'CliqueStartupTypeInOrder' };
    const ordered = {
      operation: 'UPDATE',
      object: replaced(baseSet, { ...turned, ...order }),
      oldObject: replaced(baseSet, order),
    };
    expect((await ask('validate-podcliqueset', ordered)).status?.['message']).toContain(
      '"worker": must stay at index 2, and is at 0',
    );
  });

  it('refuses a group without replicas, in an update too (10.1 rule 58)', async () => {
    const object = replaced(baseSet, { 'spec.template.podCliqueScalingGroups[0].replicas': 0 });
    const update = { operation: 'UPDATE', object, oldObject: baseSet };
    expect((await ask('validate-podcliqueset', update)).status?.['message']).toContain(
      'podCliqueScalingGroups[0].replicas: Invalid value: 0: must be greater than 0',
    );
  });

  it('says of a scheduler that is not enabled that it is not (10.1 rule 25)', async () => {
    const object = replaced(baseSet, {
      'spec.template.cliques[0].spec.podSpec.schedulerName': 'kai-scheduler',
    });
    const { status } = await ask('validate-podcliqueset', { object });
    expect(status?.['message']).toContain('"kai-scheduler": this scheduler is not enabled');
  });

  it('refuses another resource with 400', async () => {
    const answer = await ask('validate-podcliqueset', { resource: 'pods', plural: 'pods' });
    expect(answer).toMatchObject({ allowed: false, status: { code: 400 } });
  });

  it('names two hundred errors and counts the rest', async () => {
    const cliques = Array.from({ length: 300 }, (_, i) => ({
      name: `c${i}`,
      spec: { roleName: `${i}` },
    }));
    const object = replaced(baseSet, { 'spec.template.cliques': cliques });
    const { status } = await ask('validate-podcliqueset', { object });
    expect(status?.['message']).toMatch(/ and \d+ more errors$/);
  });
});

describe('The validating webhook for bindings', () => {
  it('refuses a repeated domain', async () => {
    const answer = await ask('validate-clustertopology', {
      resource: 'grove.io/clustertopologybindings',
      plural: 'clustertopologybindings',
      namespace: '',
      object: replaced(baseBinding, { 'spec.levels[0].domain': 'rack' }),
    });
    expect(answer.status?.['message']).toBe('spec.levels[1].domain: Duplicate value: "rack"');
  });
});

describe('The authorizer webhook', () => {
  const managed = { metadata: { labels: { 'app.kubernetes.io/part-of': 'base' } } };
  const update = {
    operation: 'UPDATE',
    resource: 'services',
    plural: 'services',
    name: 'base-0',
    object: { metadata: {} },
    oldObject: managed,
  };

  it('judges an update by the old object, so taking the label away does not help', async () => {
    const { ports: using, asked } = ports();
    const answer = await ask('authorizer-webhook', update, using);
    expect(answer).toMatchObject({ allowed: false, status: { code: 403, reason: 'Forbidden' } });
    expect(asked).toEqual(['set default/base']);
  });

  it('lets the controller manager fill the token Secret (10.1 rule 49)', async () => {
    const manager = 'system:kube-controller-manager';
    const { ports: using } = ports({ trusted: ['me', manager] });
    const filled = { ...update, resource: 'secrets', plural: 'secrets', user: manager };
    expect((await ask('authorizer-webhook', filled, using)).allowed).toBe(true);
  });

  it.each([
    ['forbidden', 403],
    ['throttled', 429],
    ['broken', 500],
  ])('refuses where the look-up is %s', async (_what, status) => {
    const body = { kind: 'Status', code: status, message: 'no podcliquesets for you' };
    const transport = {
      request: async () => ({ status, headers: {}, body }),
      watch: () => () => {},
    };
    const lookups = clusterLookups(transport, systemClock);
    const answer = await ask('authorizer-webhook', update, ports({ lookups }).ports);
    expect(answer).toMatchObject({ allowed: false, status: { code: 500 } });
    expect(answer.status?.['message']).toContain(
      'the PodCliqueSet "base" cannot be read: no podcliquesets for you',
    );
  });

  it('refuses where the look-up has no answer', async () => {
    const transport = {
      request: () => Promise.reject(new Error('socket closed')),
      watch: () => () => {},
    };
    const lookups = clusterLookups(transport, systemClock);
    const answer = await ask('authorizer-webhook', update, ports({ lookups }).ports);
    expect(answer).toMatchObject({ allowed: false, status: { code: 500 } });
  });

  it('asks nobody about a user that is trusted', async () => {
    const { ports: using, asked } = ports();
    expect((await ask('authorizer-webhook', { ...update, user: 'me' }, using)).allowed).toBe(true);
    expect(asked).toEqual([]);
  });
});
