// Defaults: what is filled in, that it is what the controller reads anyway, and that valid objects
// are valid afterwards.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  cliqueNumbers,
  defaultedPodSpec,
  publishesNotReady,
} from '#machines/grove/objects/defaults.ts';
import { at, isObject, list } from '#machines/kubernetes/json.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { defaultingPatch, defaults } from '#src/admission/defaults.ts';
import { findSetErrors } from '#src/admission/validate.ts';
import { viewSet } from '#src/admission/view.ts';
import { jsonPatch } from '#src/devcluster/patch/json.ts';
import { baseSet, baseSettings, replaced } from './examples.ts';
import { validSet } from './generate.ts';

function defaulted(set: JsonObject): JsonObject {
  const result = jsonPatch(set, defaultingPatch(set));
  if ('error' in result) throw new Error(result.error);
  if (!isObject(result.value)) throw new Error('the patch leaves no object');
  return result.value;
}

const cliqueSpecs = (set: JsonObject): readonly unknown[] =>
  list(at(set, 'spec', 'template', 'cliques')).map((clique) => at(clique, 'spec'));

const spec = 'spec.template.cliques[0].spec';

describe('Defaults', () => {
  it('leave an object alone that has everything', () => {
    expect(defaultingPatch(baseSet)).toEqual([]);
  });

  it.each([
    ['D1', { 'metadata.namespace': '' }, '/metadata/namespace', 'default'],
    ['D2', { [`${spec}.podSpec.restartPolicy`]: null }, '/podSpec/restartPolicy', 'Always'],
    [
      'D3',
      { [`${spec}.podSpec.terminationGracePeriodSeconds`]: null },
      '/podSpec/terminationGracePeriodSeconds',
      30,
    ],
    ['D4', { [`${spec}.replicas`]: 0 }, '/spec/template/cliques/0/spec/replicas', 1],
    ['D5', { [`${spec}.minAvailable`]: null }, '/minAvailable', 2],
    ['D6', { [`${spec}.autoScalingConfig`]: { maxReplicas: 4 } }, '/minReplicas', 2],
    [
      'D7',
      { 'spec.template.podCliqueScalingGroups[0].scaleConfig': { maxReplicas: 4 } },
      '/scaleConfig/minReplicas',
      2,
    ],
    ['D8', { 'spec.template.terminationDelay': null }, '/terminationDelay', '4h0m0s'],
    [
      'D9',
      { 'spec.template.headlessServiceConfig': null },
      '/headlessServiceConfig',
      { publishNotReadyAddresses: true },
    ],
  ])('%s fills in its field and nothing else', (id, values, path, value) => {
    const set = replaced(baseSet, values);
    const operations = defaultingPatch(set);
    expect(operations).toEqual([{ op: 'add', path: expect.stringContaining(path), value }]);
    expect(defaults.find((row) => row.id === id)?.fill(set)).toEqual(operations);
  });

  it.each([
    ['D6', 0, `${spec}.autoScalingConfig`, `${spec}.replicas`],
    [
      ...(['D7', 1] as const),
      'spec.template.podCliqueScalingGroups[0].scaleConfig',
      'spec.template.podCliqueScalingGroups[0].replicas',
    ],
  ] as const)('%s takes replicas that are unset for %i', (id, value, config, replicas) => {
    const set = replaced(baseSet, { [config]: { maxReplicas: 4 }, [replicas]: null });
    expect(defaults.find((row) => row.id === id)?.fill(set)).toMatchObject([{ value }]);
  });

  it('take replicas as submitted, so that 0 without minAvailable is refused afterwards', () => {
    const set = defaulted(
      replaced(baseSet, { [`${spec}.replicas`]: 0, [`${spec}.minAvailable`]: null }),
    );
    expect(cliqueSpecs(set)[0]).toMatchObject({ replicas: 1, minAvailable: 0 });
  });

  it('change nothing when they are applied again, and keep valid objects valid', () => {
    fc.assert(
      fc.property(validSet, (submitted) => {
        const set = defaulted(submitted);
        expect(defaultingPatch(set)).toEqual([]);
        const subject = { set: viewSet(set), settings: baseSettings, found: {} };
        expect(findSetErrors(subject)).toEqual([]);
        expect(findSetErrors({ ...subject, old: subject.set })).toEqual([]);
      }),
      { numRuns: 200 },
    );
  });

  it('are what the controller reads of an object without them', () => {
    fc.assert(
      fc.property(validSet, (submitted) => {
        const set = defaulted(submitted);
        const read = (source: JsonObject) => ({
          numbers: cliqueSpecs(source).map(cliqueNumbers),
          pods: cliqueSpecs(source).map((each) => defaultedPodSpec(at(each, 'podSpec'))),
          publishes: publishesNotReady(at(source, 'spec', 'template')),
        });
        expect(read(submitted)).toEqual(read(set));
        expect(read(set).numbers).toEqual(
          cliqueSpecs(set).map((each) => ({
            replicas: at(each, 'replicas'),
            minAvailable: at(each, 'minAvailable'),
          })),
        );
      }),
      { numRuns: 200 },
    );
  });
});
