// What is kept of a failure, on the embedded cluster over HTTPS with a real NATS: that it has what
// one looks for afterwards, and says why of what it could not get.
import {
  existsSync,
  globSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { at, list } from '#machines/kubernetes/json.ts';
import { collectEvidence } from '#test/support/evidence.ts';
import { natsSkip } from '#test/support/nats.ts';
import { Place } from '#test/support/place.ts';
import { createNamespace, createSet } from '#test/support/workload.ts';

const patient = { timeout: 120_000 };
const root = mkdtempSync(join(tmpdir(), 'coppice-evidence-'));

describe(`The evidence of a failure${natsSkip}`, () => {
  const place = new Place();
  beforeAll(async () => {
    if (natsSkip !== '') return;
    await place.start({ nodes: 3 });
    await createNamespace(place.client, 'here');
    const { program } = await place.controller();
    await program.line(/the stream of facts/);
    await createSet(place.client, 'here', { name: 'demo', replicas: 2 });
    const { onlooker } = place;
    await onlooker.until(
      '4 pods ready',
      () => onlooker.readyPods('here') === 4,
      () => '',
    );
  }, 60_000);
  afterAll(async () => {
    await place.end();
    rmSync(root, { recursive: true });
  });

  test.skipIf(natsSkip !== '')('is objects, Events, whys, facts and logs', patient, async () => {
    const clusterFolder = mkdtempSync(join(root, 'cluster-'));
    writeFileSync(join(clusterFolder, 'etcd.log'), 'of etcd');
    const scene = { client: place.client, nats: place.nats?.url, clusterFolder };
    const folder = await collectEvidence('a/test: that fails', scene, root);
    expect(readdirSync(folder)).toEqual([
      'events.json',
      'facts.jsonl',
      'logs',
      'objects.json',
      'why.json',
    ]);
    const read = (name: string): string => readFileSync(join(folder, name), 'utf8');
    const objects: unknown = JSON.parse(read('objects.json'));
    expect(list(at(objects, 'Pod'))).toHaveLength(4);
    expect(list(at(objects, 'Secret')).length).toBeGreaterThan(0);
    for (const secret of list(at(objects, 'Secret'))) expect(secret).not.toHaveProperty('data');
    expect(list(JSON.parse(read('events.json'))).length).toBeGreaterThan(0);
    const why: unknown = JSON.parse(read('why.json'));
    expect(at(why, 'coppice.ask.podclique.here.demo-1-worker.why')).toEqual(expect.any(Object));
    expect(read('facts.jsonl')).toMatch(
      /^coppice\.fact\.podclique\.here\.demo-0-worker\.wrote \{/m,
    );
    expect(readFileSync(join(folder, 'logs', 'etcd.log'), 'utf8')).toBe('of etcd');
    const logs = globSync(join(folder, 'logs', '*controller*')).map((file) =>
      readFileSync(file, 'utf8'),
    );
    expect(logs.join()).toContain('controller synced');
  });

  test.skipIf(natsSkip !== '')(
    'says what could not be had, and keeps the rest',
    patient,
    async () => {
      const client = { ...place.client, request: () => Promise.reject(new Error('no server')) };
      const folder = await collectEvidence('no server', { client }, root);
      expect(readFileSync(join(folder, 'events.json.missing.txt'), 'utf8')).toBe(
        'Error: no server\n',
      );
      expect(readFileSync(join(folder, 'why.json.missing.txt'), 'utf8')).toContain(
        'no NATS server',
      );
      expect(existsSync(join(folder, 'logs'))).toBe(true);
    },
  );
});
