// What people see of admission: kubectl against the embedded cluster with our webhooks registered.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { stringify } from 'yaml';
import type { Admission } from '#src/admission/start.ts';
import { defaultConfiguration } from '#src/config/decode.ts';
import { localAdmission } from '#src/dev/admission.ts';
import { installCrds } from '#src/dev/crds.ts';
import { systemClock } from '#src/time/clock.ts';
import { baseSet, replaced } from '#test/admission/examples.ts';
import { startGroveAdmission } from '#test/support/admission.ts';
import { withKubectl } from './kubectl.ts';

withKubectl('kubectl apply of a PodCliqueSet', (kubectl) => {
  let admission: Admission | undefined;
  beforeAll(async () => {
    const { cluster } = kubectl();
    if (cluster === undefined) throw new Error('no cluster');
    await installCrds(cluster.transport());
    admission = startGroveAdmission({
      configuration: { ...defaultConfiguration, admission: localAdmission(defaultConfiguration) },
      transport: cluster.transport(),
      namespace: 'default',
      clock: systemClock,
      log: () => {},
    });
    await admission.started;
  });
  afterAll(() => admission?.stop());

  const set = (name: string, values: Parameters<typeof replaced>[1] = {}): Promise<string> =>
    kubectl().file(
      `${name}.yaml`,
      stringify(replaced(baseSet, { ...values, 'metadata.name': name })),
    );

  test('refuses a bad one with all that is wrong with it', async () => {
    const file = await set('bad', {
      'spec.template.cliques[0].spec.podSpec.nodeName': 'node-1',
      'spec.template.cliques[1].spec.roleName': 'router',
    });
    const said = await kubectl().refused(`apply -f ${file}`);
    expect(said).toContain('Error from server (Forbidden)');
    expect(said).toContain(
      'admission webhook "pcs.validating.webhooks.grove.io" denied the request: ' +
        '[spec.template.cliques.roleName: Duplicate value: "router",' +
        ' spec.template.cliques[0].spec.podSpec.spec.nodeName: Invalid value: "node-1":' +
        ' must not be set]',
    );
  });

  test('fills in defaults, and a second apply changes nothing', async () => {
    const file = await set('good', { 'spec.template.terminationDelay': null });
    expect(await kubectl().ok(`apply -f ${file}`)).toBe('podcliqueset.grove.io/good created\n');
    const delay = "get pcs good -o jsonpath='{.spec.template.terminationDelay}'";
    expect(await kubectl().ok(delay)).toContain('4h0m0s');
    expect(await kubectl().ok(`apply -f ${file}`)).toBe('podcliqueset.grove.io/good unchanged\n');
  });

  test('warns of what will fail later', async () => {
    const file = await set('warned', { 'spec.template.cliques[0].name': 'front.end' });
    const { code, stderr } = await kubectl().run(`apply -f ${file}`);
    expect(code).toBe(0);
    expect(stderr).toContain('Warning: spec.template.cliques[0].name: "front.end" has a dot');
  });

  test('refuses a dry run on the server as it would refuse the real one', async () => {
    const file = await set('dry', { 'spec.template.cliques[0].spec.podSpec.nodeName': 'node-1' });
    const said = await kubectl().refused(`apply --dry-run=server -f ${file}`);
    expect(said).toContain('must not be set');
  });
});
