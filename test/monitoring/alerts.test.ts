// Every alert of the chart fires when it should and not when something merely looks like it, by
// Prometheus' own word.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { at, list, text } from '#machines/kubernetes/json.ts';
import { root } from '#test/tidy/sources.ts';
import { alerts } from '#tools/monitoring/alerts.ts';
import { rulesPath, runbookUrl } from '#tools/monitoring/rules.ts';
import type { AlertCase } from './cases/case.ts';
import { ofObjects } from './cases/objects.ts';
import { ofProcess } from './cases/process.ts';
import { ofServer } from './cases/server.ts';
import { inputOf, promtool, type SeriesValues, withoutPromtool } from './promtool.ts';

const rules = readFileSync(join(root, rulesPath), 'utf8');

const alertCases: Readonly<Record<string, AlertCase>> = { ...ofProcess, ...ofObjects, ...ofServer };

/** Every process of ours has it. */
const always: SeriesValues = {
  'coppice_bus_connected{namespace="ai",job="coppice",instance="a"}': '0x200',
  'coppice_bus_connected{namespace="ai",job="coppice",instance="b"}': '0x200',
};

/** What promtool is to find at a time. */
const test = (
  alertname: string,
  series: SeriesValues,
  eval_time: string,
  exp_alerts: readonly object[],
) => ({
  'rules.yaml': rules,
  'test.yaml': {
    rule_files: ['rules.yaml'],
    evaluation_interval: '1m',
    tests: [
      {
        interval: '1m',
        input_series: inputOf({ ...always, ...series }),
        alert_rule_test: [{ eval_time, alertname, exp_alerts }],
      },
    ],
  },
});

async function expectRight(files: ReturnType<typeof test>): Promise<void> {
  const { code, stdout, stderr } = await promtool(files, 'test rules test.yaml');
  expect(code, `${stdout}${stderr}`).toBe(0);
}

describe.skipIf(withoutPromtool !== '')(`The alerts in promtool${withoutPromtool}`, () => {
  it('are rules that Prometheus takes', async () => {
    const { stdout } = await promtool({ 'rules.yaml': rules }, 'check rules rules.yaml');
    expect(stdout).toContain(`SUCCESS: ${alerts.length} rules found`);
  });

  it.each(alerts)('$name fires with what it says, its severity and its runbook', async (alert) => {
    const { firing } = alertCases[alert.name] ?? {};
    if (firing === undefined) throw new Error(`test/monitoring/cases has none of ${alert.name}`);
    const { name, severity, summary } = alert;
    const told = {
      exp_labels: { ...firing.labels, severity },
      exp_annotations: {
        summary,
        description: firing.description,
        runbook_url: runbookUrl.replace('%s', name),
      },
    };
    await expectRight(test(name, firing.series, firing.at, [told]));
  });

  const quiet = Object.entries(alertCases).flatMap(([name, { quiet: cases, firing }]) =>
    Object.entries(cases).map(([what, series]) => ({ name, what, series, at: firing.at })),
  );

  it.each(quiet)('$name does not fire for $what', async ({ name, series, at: time }) => {
    await expectRight(test(name, series, time, []));
  });

  it('are known to these tests as firing: one that never fires is found', async () => {
    const files = test('CoppiceActorsParked', {}, '10m', [{ exp_labels: { severity: 'warning' } }]);
    expect(await promtool(files, 'test rules test.yaml')).toMatchObject({ code: 1 });
  });
});

describe('The alerts', () => {
  it('each have cases, and no case is of another', () => {
    expect(Object.keys(alertCases).toSorted()).toEqual(alerts.map(({ name }) => name).toSorted());
    for (const { quiet } of Object.values(alertCases)) expect(quiet).not.toEqual({});
  });

  it('each lead to a page of docs/runbooks that is there', () => {
    const written = list(at(parse(rules), 'groups'))
      .flatMap((group) => list(at(group, 'rules')))
      .map((rule) => text(at(rule, 'annotations', 'runbook_url')));
    expect(written).toEqual(alerts.map(({ name }) => runbookUrl.replace('%s', name)));
    expect(written.filter((page) => !existsSync(join(root, page)))).toEqual([]);
  });
});
