// What the chart gives Prometheus and Grafana: alerts and dashboards behind a switch each, as they
// are checked in.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { at, list, object, text } from '#machines/kubernetes/json.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { release, rendered, unbuilt } from '#test/cluster/chart.ts';
import { root } from '#test/tidy/sources.ts';
import { rulesPath } from '#tools/monitoring/rules.ts';
import { objectsIn, ofKind } from './manifests.ts';

const skip = unbuilt('helm');
const dashboards = join(root, 'charts/coppice/dashboards');

/** Of the rules of the one PrometheusRule. */
const rulesIn = (manifests: readonly JsonObject[]): readonly JsonObject[] =>
  list(at(ofKind(manifests, 'PrometheusRule')[release], 'spec', 'groups')).flatMap((group) =>
    list(at(group, 'rules')).map(object),
  );

describe.skipIf(skip !== '')(`The chart${skip}`, () => {
  let folder = '';
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'coppice-monitoring-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const render = async (values: JsonObject = {}): Promise<readonly JsonObject[]> =>
    objectsIn(await rendered(folder, values));

  it('has neither alerts nor dashboards by default', async () => {
    const manifests = await render();
    expect(ofKind(manifests, 'PrometheusRule')).toEqual({});
    const maps = Object.keys(ofKind(manifests, 'ConfigMap'));
    expect(maps.filter((name) => name.includes('dashboard'))).toEqual([]);
  });

  it('has the alerts as a PrometheusRule, word for word', async () => {
    const manifests = await render({ prometheusRule: { enabled: true, labels: { team: 'a' } } });
    const rule = ofKind(manifests, 'PrometheusRule')[release];
    expect(at(rule, 'metadata', 'labels', 'team')).toBe('a');
    const checkedIn: unknown = parse(readFileSync(join(root, rulesPath), 'utf8'));
    expect(at(rule, 'spec')).toEqual(checkedIn);
  });

  it('leaves alerts out, and leads to runbooks that are served elsewhere', async () => {
    const runbookUrl = 'https://wiki.example.com/%s?v=1';
    const all = rulesIn(await render({ prometheusRule: { enabled: true } }));
    const disabled = ['CoppiceClaimsSlow', 'CoppiceDown'];
    const rules = rulesIn(
      await render({ prometheusRule: { enabled: true, disabled, runbookUrl } }),
    );
    expect(rules).toHaveLength(all.length - 2);
    for (const rule of rules) {
      expect(disabled).not.toContain(rule['alert']);
      const url = `https://wiki.example.com/${text(rule['alert'])}?v=1`;
      expect(at(rule, 'annotations', 'runbook_url')).toBe(url);
    }
  });

  it('has a ConfigMap for each dashboard, which the sidecar of Grafana finds', async () => {
    const annotations = { grafana_folder: 'AI' };
    const manifests = await render({ dashboards: { enabled: true, annotations } });
    const maps = Object.values(ofKind(manifests, 'ConfigMap')).filter(
      (map) => at(map, 'metadata', 'labels', 'grafana_dashboard') === '1',
    );
    const files = readdirSync(dashboards);
    expect(maps.flatMap((map) => Object.keys(object(map['data']))).toSorted()).toEqual(
      files.toSorted(),
    );
    for (const map of maps) {
      expect(at(map, 'metadata', 'annotations')).toEqual(annotations);
      for (const [file, json] of Object.entries(object(map['data']))) {
        const checkedIn: unknown = JSON.parse(readFileSync(join(dashboards, file), 'utf8'));
        expect(JSON.parse(text(json))).toEqual(checkedIn);
      }
    }
  });
});
