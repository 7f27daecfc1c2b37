// Each module has its CRDs in a subchart of its name, which the value that switches the module
// switches too. What Helm makes of that is in helm.test.ts.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { modules } from '#machines/index.ts';
import { at, list, object, text } from '#machines/kubernetes/json.ts';
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

describe('Artifact Hub', () => {
  const annotation = (name: string): unknown =>
    parse(text(at(read('Chart.yaml'), 'annotations', `artifacthub.io/${name}`)));

  it('is told of every CRD of the subcharts, by the version that is stored', () => {
    const crds = names.flatMap((name) =>
      readdirSync(crdFolder(name)).map((file) => {
        const crd: unknown = parse(readFileSync(crdFolder(name) + file, 'utf8'));
        const stored = list(at(crd, 'spec', 'versions')).find((one) => at(one, 'storage') === true);
        const kind = text(at(crd, 'spec', 'names', 'kind'));
        const about = { kind, version: at(stored, 'name'), name: at(crd, 'metadata', 'name') };
        return { ...about, displayName: kind, description: expect.stringMatching(/\S/) };
      }),
    );
    expect(annotation('crds')).toEqual(crds);
  });

  it('is told of the images that the values name', () => {
    const values = read('values.yaml');
    const [version, { repository, tag }] = [
      text(at(read('Chart.yaml'), 'appVersion')),
      object(at(values, 'nats', 'image')),
    ];
    expect(annotation('images')).toEqual([
      { name: 'coppice', image: `${text(at(values, 'image', 'repository'))}:${version}` },
      { name: 'nats', image: `${text(repository)}:${text(tag)}` },
    ]);
  });
});

describe('The modules in the values of the chart', () => {
  it('are on and off as in a configuration that says nothing', () => {
    expect(at(read('values.yaml'), 'config', 'modules')).toEqual(defaultConfiguration.modules);
  });
});
