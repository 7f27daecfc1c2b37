// The texts of the chart that are written from its values: values.yaml, the schema by which Helm
// refuses wrong ones, and the tables of the README.
import { valueRows, valuesFile, valuesSchema } from '#tools/chart/render.ts';
import { combinations } from '#test/charts/combinations.ts';
import { pageWith, table } from './page.ts';

const readmePath = 'charts/coppice/README.md';

const readme = (): string =>
  pageWith(readmePath, 'tools/chart/values.ts', [
    '## Combinations',
    '',
    'With each of these, tests hold the permissions to what the code asks for: none is refused, none is in vain.',
    '',
    ...table(
      ['name', 'what', 'values'],
      Object.entries(combinations).map(([name, { about, values }]) => [
        name,
        about,
        Object.keys(values).length === 0 ? '' : `\`${JSON.stringify(values)}\``,
      ]),
    ),
    '',
    '## Values',
    '',
    '`config` has the fields of [the configuration file](../../docs/configuration.md). `values.schema.json` holds Helm to all of them: what does',
    'not exist, or is of the wrong type, is refused before anything changes.',
    '',
    ...table(['value', 'type', 'default', 'meaning'], valueRows()),
  ]);

export const chartFiles = (): Readonly<Record<string, string>> => ({
  'charts/coppice/values.yaml': valuesFile(),
  'charts/coppice/values.schema.json': valuesSchema(),
  [readmePath]: readme(),
});
