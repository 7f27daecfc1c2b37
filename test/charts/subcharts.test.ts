// Each module has its CRDs in a subchart of its name, which the value that switches the module
// switches too. What Helm makes of that is in helm.test.ts.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { modules } from '#machines/index.ts';
import { at } from '#machines/kubernetes/json.ts';
import { defaultConfiguration } from '#src/config/decode.ts';
import { crdFolder } from '#src/modules/crds.ts';
import { chartFolder } from './grants.ts';

const read = (file: string): unknown => parse(readFileSync(join(chartFolder, file), 'utf8'));
const names = modules.map(({ name }) => name);

describe('The subcharts', () => {
  it('are one for each module, listed with its switch and found without a repository', () => {
    expect(readdirSync(join(chartFolder, 'charts')).toSorted()).toEqual(names.toSorted());
    const listed = names.map((name) => ({
      name,
      version: at(read(`charts/${name}/Chart.yaml`), 'version'),
      condition: `config.modules.${name}`,
    }));
    expect(at(read('Chart.yaml'), 'dependencies')).toEqual(listed);
  });

  it.each(names)('hold nothing but CRDs: %s', (name) => {
    expect(readdirSync(join(chartFolder, 'charts', name))).toEqual(['Chart.yaml', 'crds']);
    const kinds = readdirSync(crdFolder(name)).map((file) =>
      at(parse(readFileSync(crdFolder(name) + file, 'utf8')), 'kind'),
    );
    expect(new Set(kinds)).toEqual(new Set(['CustomResourceDefinition']));
  });

  it('hold all CRDs: the chart itself, whose would be installed always, has none', () => {
    expect(existsSync(join(chartFolder, 'crds'))).toBe(false);
  });
});

describe('The modules in the values of the chart', () => {
  it('are on and off as in a configuration that says nothing', () => {
    expect(at(read('values.yaml'), 'config', 'modules')).toEqual(defaultConfiguration.modules);
  });
});
