// The CRD files of the subchart grove are what the generator writes, small enough for every way to
// apply them.
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { crdFolder } from '#src/modules/crds.ts';
import { crdFiles } from '#tools/crds/generate.ts';

const directory = crdFolder('grove');
const generated = crdFiles();
const names = Object.keys(generated);

describe('CRD files', () => {
  test('The folder holds the generated files and no other', () => {
    expect(readdirSync(directory).toSorted()).toEqual(names.toSorted());
  });

  test.each(names)('%s equals the output of the generator', (name) => {
    expect(readFileSync(directory + name, 'utf8')).toBe(generated[name]);
  });

  test.each(names)('%s fits into the annotation of kubectl apply (256 KiB)', (name) => {
    const object: unknown = parse(generated[name] ?? '');
    expect(JSON.stringify(object).length).toBeLessThan(200 * 1024);
  });
});
