// What is true of the chart with every combination of values that its README names: the same render
// twice and by both Helms, pods that are restricted, permissions that the code needs and no others.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { at, list, text } from '#machines/kubernetes/json.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { decodeText } from '#src/config/decode.ts';
import { helms, release, rendered, unbuilt } from '#test/cluster/chart.ts';
import { combinations } from './combinations.ts';
import { grantsIn, named, withoutWhen } from './grants.ts';
import { kindOf, nameOf, objectsIn, ofKind, podsIn, unrestricted } from './manifests.ts';
import { neededGrants } from './needed.ts';
import { switchesOf } from './switches.ts';

const skip = helms.map(unbuilt).find((why) => why !== '') ?? '';

/** What the process of a release is told. */
const configurationIn = (manifests: readonly JsonObject[]) =>
  decodeText(text(at(ofKind(manifests, 'ConfigMap')[release], 'data', 'config.yaml')));

describe.skipIf(skip !== '')(`With each combination of the chart's README${skip}`, () => {
  let folder = '';
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'coppice-combinations-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  describe.each(Object.entries(combinations))('%s:', (_, { values }) => {
    let manifests: readonly JsonObject[] = [];
    let written = '';
    beforeAll(async () => {
      written = await rendered(folder, values);
      manifests = objectsIn(written);
    });

    it('a second render is the same, byte by byte', async () => {
      expect(await rendered(folder, values)).toBe(written);
    });

    it('Helm 4 renders the same objects', async () => {
      const other = objectsIn(await rendered(folder, values, { helm: 'helm4' }));
      const byName = (all: readonly JsonObject[]): readonly JsonObject[] =>
        all.toSorted((a, b) => keyOf(a).localeCompare(keyOf(b)));
      expect(byName(other)).toEqual(byName(manifests));
    });

    it('the configuration is one that the controller takes', () => {
      const configuration = configurationIn(manifests);
      expect(configuration).toMatchObject({ ok: true, notes: [] });
    });

    it('every pod is restricted', () => {
      const pods = podsIn(manifests);
      expect(Object.keys(pods)).toContain(release);
      for (const [name, pod] of Object.entries(pods)) {
        expect([name, unrestricted(pod)]).toEqual([name, []]);
      }
    });

    it('each pod has a network policy, which denies what it does not list', () => {
      const policies = Object.values(ofKind(manifests, 'NetworkPolicy'));
      for (const [name, pod] of Object.entries(podsIn(manifests))) {
        const labels = Object(at(pod, 'metadata', 'labels')) as Readonly<Record<string, unknown>>;
        const mine = policies.filter((policy) =>
          Object.entries(Object(at(policy, 'spec', 'podSelector', 'matchLabels'))).every(
            ([label, value]) => labels[label] === value,
          ),
        );
        expect([name, mine.map(nameOf)]).toEqual([name, [name]]);
        expect(list(at(mine[0], 'spec', 'policyTypes'))).toEqual(['Ingress', 'Egress']);
      }
    });

    it('the controller may do what its code asks for, and nothing else', () => {
      const configuration = configurationIn(manifests);
      if (!configuration.ok) throw new Error('it has no configuration');
      const on = switchesOf(configuration.configuration);
      const needed = neededGrants().filter(({ when }) =>
        when.split(' ').every((word) => on.has(word)),
      );
      expect(withoutWhen(grantsIn(written, release))).toEqual(withoutWhen(named(needed)));
    });

    it('names no object twice', () => {
      const keys = manifests.map(keyOf);
      expect(keys.toSorted()).toEqual([...new Set(keys)].toSorted());
    });
  });
});

const keyOf = (manifest: unknown): string =>
  `${kindOf(manifest)} ${text(at(manifest, 'metadata', 'namespace'))}/${nameOf(manifest)}`;
