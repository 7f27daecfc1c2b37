// `coppice bench` on the real control plane, on nodes that KWOK plays for it alone.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { at as within, list } from '#machines/kubernetes/json.ts';
import { eventually } from '#test/support/eventually.ts';
import { manifest, pairs } from './sets.ts';
import { describeReal, type Stage } from './stage.ts';

const ours = '?labelSelector=coppice.dev%2Fbench';

async function left({ kube }: Stage, resource: string): Promise<number> {
  const body = await kube.send({ method: 'GET', path: `/api/v1/${resource}${ours}` });
  return list(within(body, 'items')).length;
}

describeReal('coppice bench', (at) => {
  test('measures a set on simulated nodes, and takes them away', async () => {
    const stage = at();
    await stage.controller();
    const file = join(stage.folder, 'set.yaml');
    const out = join(stage.folder, 'out');
    writeFileSync(file, stringify(manifest(pairs('measured', 3))));
    const flags = ['--kwok-nodes', '2', '--steady', '1', '--out', out, '-f', file];
    const program = stage.coppice('bench', '--kubeconfig', stage.given.kubeconfig, ...flags);
    await program.line(/^deploy: /);
    expect(await left(stage, 'nodes')).toBe(2);
    const { code } = await program.ended;
    expect({ code, said: code === 0 ? '' : program.stderr.join('\n') }).toEqual({
      code: 0,
      said: '',
    });
    const report: unknown = JSON.parse(readFileSync(join(out, 'report.json'), 'utf8'));
    expect(report).toMatchObject({ replicas: 3, scaledTo: 6, simulatedNodes: 2 });
    expect(list(within(report, 'steps'))).toHaveLength(4);
    expect(list(within(report, 'missingProfiles')).join()).toContain('cannot be had');
    expect(await left(stage, 'nodes')).toBe(0);
    await eventually(
      'its namespace gone',
      () => left(stage, 'namespaces'),
      (n) => n === 0,
      60_000,
    );
  });
});
