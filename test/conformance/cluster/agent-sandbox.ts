// Checks: the rules of agent-sandbox's CRDs, as the chart installs them, in both of their versions.
import { expect } from 'vitest';
import { objectsAt, textAt } from '#machines/kubernetes/fields.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { replaced } from '#test/admission/examples.ts';
import { pathOf, sandboxObject, schemaCases } from '#test/crds/agent-sandbox-rules.ts';
import { crdObject, definitions } from '#tools/crds/generate.ts';
import { expectRefusal } from './session.ts';
import type { Answer, Check, Session, Suite } from './session.ts';
import { installDefinition } from './widgets.ts';

const crds = (definitions['agentsandbox'] ?? []).map(
  (definition) => JSON.parse(JSON.stringify(crdObject(definition))) as JsonObject,
);

async function install(s: Session): Promise<void> {
  for (const crd of crds) await installDefinition(s, crd);
}

type Case = (typeof schemaCases)[number];

const send = async (s: Session, { kind, version, before }: Case, given: Case['accepts']) => {
  const path = pathOf(kind, version, s.namespace);
  if (before === undefined) {
    return s.send('POST', `${path}?dryRun=All`, sandboxObject(kind, version, given));
  }
  const there = await s.send('GET', `${path}/base`);
  const object =
    there.status === 200 ? there.body : await s.create(path, sandboxObject(kind, version, before));
  return s.send('PUT', `${path}/base?dryRun=All`, replaced(object, given));
};

const check =
  (row: Case): Check =>
  async (s) => {
    await install(s);
    const accepted: Answer = await send(s, row, row.accepts);
    expect(accepted.body).not.toMatchObject({ status: 'Failure' });
    expect(accepted.status).toBeLessThan(300);
    for (const [given, says] of row.refuses) {
      expectRefusal(await send(s, row, given), 422, 'Invalid', await s.inItsWords(says));
    }
  };

export const agentSandbox: Suite = {
  ...Object.fromEntries(
    schemaCases.map((row): [string, Check] => [
      `rule ${row.id} holds in ${row.version}: ${row.kind} ${row.field}`,
      check(row),
    ]),
  ),

  async 'a deprecated version is warned of in every answer, and the other one is not'(s) {
    await install(s);
    const old = pathOf('SandboxWarmPool', 'v1alpha1', s.namespace);
    const warning =
      '299 - "extensions.agents.x-k8s.io/v1alpha1 SandboxWarmPool is deprecated; ' +
      'use extensions.agents.x-k8s.io/v1beta1 SandboxWarmPool instead"';
    const made = await s.send('POST', old, sandboxObject('SandboxWarmPool', 'v1alpha1'));
    expect([made.status, made.headers['warning']]).toEqual([201, warning]);
    for (const path of [old, `${old}/base`, `${old}/base/scale`, `${old}/none`]) {
      const { headers } = await s.send('GET', path);
      expect([path, headers['warning']]).toEqual([path, warning]);
    }
    const { headers } = await s.send('GET', pathOf('SandboxWarmPool', 'v1beta1', s.namespace));
    expect(headers['warning']).toBeUndefined();
  },

  async 'both versions are discovered, the newer one is preferred'(s) {
    await install(s);
    const group = await s.get('/apis/extensions.agents.x-k8s.io');
    expect(group).toMatchObject({
      preferredVersion: { version: 'v1beta1' },
      versions: [{ version: 'v1beta1' }, { version: 'v1alpha1' }],
    });
    const names = async (version: string) =>
      objectsAt(await s.get(`/apis/agents.x-k8s.io/${version}`), 'resources')
        .map((each) => textAt(each, 'name'))
        .toSorted();
    expect(await names('v1beta1')).toEqual(['sandboxes', 'sandboxes/status']);
    expect(await names('v1alpha1')).toEqual(['sandboxes', 'sandboxes/scale', 'sandboxes/status']);
  },
};
