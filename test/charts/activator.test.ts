// The activator in the chart: off by default, and with the permissions that its code needs.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { activatorKinds } from '#machines/activator/kinds.ts';
import { at } from '#machines/kubernetes/json.ts';
import { apiGroup, isKind, kindRow } from '#machines/kinds.ts';
import { scaleKinds } from '#src/config/activator.ts';
import { chartFolder, grantsOfTemplate } from './grants.ts';

const granted = grantsOfTemplate('activator-rbac.yaml').map(
  ({ scope, group, resource, verb, when }) => `${scope} ${group}/${resource} ${verb} ${when}`,
);

const scales: Readonly<Record<(typeof scaleKinds)[number], string>> = {
  Deployment: 'apps/deployments/scale',
  PodClique: 'grove.io/podcliques/scale',
  PodCliqueScalingGroup: 'grove.io/podcliquescalinggroups/scale',
};

describe('The activator of the chart', () => {
  it('may watch the kinds that it reads, those of Knative where they are read, and no more', () => {
    const watched = Object.keys(activatorKinds)
      .filter(isKind)
      .flatMap((kind) => {
        const isKnative = apiGroup(kind).endsWith('knative.dev');
        const when = `.Values.activator.enabled${isKnative ? ' $knative' : ''}`;
        return ['list', 'watch'].map(
          (verb) => `cluster ${apiGroup(kind)}/${kindRow(kind).plural} ${verb} ${when}`,
        );
      });
    const scaled = scaleKinds.flatMap((kind) =>
      ['get', 'update'].map(
        (verb) => `cluster ${scales[kind]} ${verb} .Values.activator.enabled $scales`,
      ),
    );
    const sorted = (line: string): string => {
      const [scope, resource, verb, ...when] = line.split(' ');
      return [scope, resource, verb, ...when.toSorted()].join(' ');
    };
    expect(granted.map(sorted).toSorted()).toEqual([...watched, ...scaled].map(sorted).toSorted());
  });

  it('is off by default', () => {
    const values: unknown = parse(readFileSync(join(chartFolder, 'values.yaml'), 'utf8'));
    expect(at(values, 'activator', 'enabled')).toBe(false);
  });

  it('has all of it under its switch', () => {
    for (const file of ['activator.yaml', 'activator-rbac.yaml']) {
      const template = readFileSync(join(chartFolder, 'templates', file), 'utf8');
      const [before = ''] = template.split('{{- if .Values.activator.enabled }}\n');
      expect(before).not.toContain('kind:');
      expect(template.trimEnd().endsWith('{{- end }}')).toBe(true);
    }
  });
});
