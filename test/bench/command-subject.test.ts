// What `coppice bench` takes: a file of one PodCliqueSet, put into a namespace of the run.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { at } from '#machines/kubernetes/json.ts';
import { placed, readSubject } from '#src/bench/subject.ts';
import { setBody } from '#test/support/workload.ts';

const folder = mkdtempSync(join(tmpdir(), 'coppice-subject-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function file(...documents: readonly unknown[]): string {
  const path = join(folder, 'set.yaml');
  writeFileSync(path, documents.map((document) => stringify(document)).join('---\n'));
  return path;
}

const set = setBody({ name: 'demo', replicas: 2 });

describe('The file of a benchmark', () => {
  it.each([
    ['two manifests', [set, set], 'holds 2 manifests, it must hold one PodCliqueSet'],
    [
      'another kind',
      [{ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'one' } }],
      'is a Pod of v1, it must be a PodCliqueSet of grove.io',
    ],
    [
      'no replicas',
      [setBody({ name: 'demo', replicas: 0 })],
      'spec.replicas 0 is wrong, it must be a whole number from 1 on',
    ],
    ['no name', [{ ...set, metadata: {} }], 'metadata.name is missing'],
  ])('with %s is refused with what would be right', async (_, documents, message) => {
    await expect(readSubject(file(...documents))).rejects.toThrow(message);
  });

  it('that is not there is named', async () => {
    await expect(readSubject(join(folder, 'none'))).rejects.toThrow(/none: cannot be read: ENOENT/);
  });

  it('goes to the namespace of the run, whatever it says', async () => {
    const metadata = { name: 'demo', namespace: 'production' };
    const { namespace, body } = placed(await readSubject(file({ ...set, metadata })), 'run-1');
    expect([namespace, at(body, 'metadata', 'namespace')]).toEqual(['run-1', 'run-1']);
    expect(at(body, 'spec')).toEqual(set['spec']);
  });

  it('may be what kubectl says of a set that there is: what belongs to that one is left', async () => {
    const mine = { name: 'demo', labels: { team: 'a' }, annotations: { note: 'b' } };
    const theirs = {
      ...{
        uid: 'u',
        resourceVersion: '7',
        generation: 3,
        creationTimestamp: '2026-01-01T00:00:00Z',
      },
      finalizers: ['example.com/held'],
      managedFields: [{ manager: 'kubectl' }],
      ownerReferences: [{ name: 'owner' }],
    };
    const found = { ...set, metadata: { ...mine, ...theirs }, status: { replicas: 2 } };
    const { body } = placed(await readSubject(file(found)), 'run-1');
    expect(body).toEqual({ ...set, metadata: { ...mine, namespace: 'run-1' } });
  });

  it('is bound to the simulated nodes of the run, and to no others', async () => {
    const { body } = placed(await readSubject(file(set)), 'run-1', 'abc');
    expect(at(body, 'spec')).toMatchObject({
      replicas: 2,
      template: {
        cliques: [
          {
            spec: {
              podSpec: {
                nodeSelector: { 'coppice.dev/bench': 'abc' },
                tolerations: [
                  { key: 'coppice.dev/bench', operator: 'Exists', effect: 'NoSchedule' },
                ],
              },
            },
          },
        ],
      },
    });
  });
});
