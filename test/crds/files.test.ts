// The CRD files of the subcharts are what the generator writes, small enough for every way to apply
// them.
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { modules } from '#machines/index.ts';
import { crdFolder } from '#src/modules/crds.ts';
import { crdFiles, definitions } from '#tools/crds/generate.ts';

test('Every module has CRDs, and there are none of anything else', () => {
  expect(Object.keys(definitions)).toEqual(modules.map(({ name }) => name));
});

describe.each(modules.map(({ name }) => name))('CRD files of the module %s', (module) => {
  const folder = crdFolder(module);
  const generated = crdFiles(module);
  const names = Object.keys(generated);

  test('The folder holds the generated files and no other', () => {
    expect(readdirSync(folder).toSorted()).toEqual(names.toSorted());
  });

  test.each(names)('%s equals the output of the generator', (name) => {
    expect(readFileSync(folder + name, 'utf8')).toBe(generated[name]);
  });

  test.each(names)('%s fits into the annotation of kubectl apply (256 KiB)', (name) => {
    const object: unknown = parse(generated[name] ?? '');
    expect(JSON.stringify(object).length).toBeLessThan(200 * 1024);
  });
});
