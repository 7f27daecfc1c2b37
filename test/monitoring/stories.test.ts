// The four questions of docs/monitoring.md: Prometheus itself answers each query over a fleet of
// two processes.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from '#test/tidy/sources.ts';
import { inputOf, promtool, type SeriesValues, withoutPromtool } from './promtool.ts';

const page = readFileSync(join(root, 'docs/monitoring.md'), 'utf8');

/** Title of the chapter to its queries. */
const queries = new Map(
  page
    .split(/^### /m)
    .slice(1)
    .map((chapter) => [
      chapter.slice(0, chapter.indexOf('\n')),
      Array.from(chapter.matchAll(/^```promql\n([\s\S]*?)\n```$/gm), ([, expr = '']) => expr),
    ]),
);

const time = 'controller_runtime_reconcile_time_seconds';
const a = 'job="coppice",instance="a",controller="podgang"';
const b = 'job="coppice",instance="b",controller="podgang"';
const conflicts = 'grove_operator_status_update_conflict_total';
const errors = 'grove_operator_reconcile_errors_total';

interface Answer {
  readonly labels: string;
  readonly value: number;
}

const stories: Readonly<
  Record<string, { series: SeriesValues; answers: readonly (readonly Answer[])[] }>
> = {
  'Is it slow?': {
    series: {
      [`${time}_bucket{${a},le="0.1"}`]: '0+90x20',
      [`${time}_bucket{${a},le="0.2"}`]: '0+100x20',
      [`${time}_bucket{${a},le="+Inf"}`]: '0+100x20',
      [`${time}_bucket{${b},le="0.1"}`]: '0+90x20',
      [`${time}_bucket{${b},le="0.2"}`]: '0+100x20',
      [`${time}_bucket{${b},le="+Inf"}`]: '0+100x20',
    },
    answers: [[{ labels: '{controller="podgang",job="coppice"}', value: 0.15 }]],
  },
  'Who is in whose way?': {
    series: {
      [`${conflicts}{${a},target_kind="PodClique"}`]: '0+30x20',
      [`${conflicts}{${b},target_kind="PodClique"}`]: '0+30x20',
      [`${conflicts}{${b},target_kind="PodCliqueSet"}`]: '0x20',
    },
    answers: [
      [
        { labels: '{job="coppice",target_kind="PodClique"}', value: 1 },
        { labels: '{job="coppice",target_kind="PodCliqueSet"}', value: 0 },
      ],
    ],
  },
  'Which errors do not end by themselves?': {
    series: {
      [`${errors}{${a},error_type="conflict"}`]: '0+60x20',
      [`${errors}{${a},error_type="denied"}`]: '0+6x20',
      [`${errors}{${a},error_type="invalid"}`]: '0x20',
    },
    answers: [[{ labels: '{controller="podgang",error_type="denied",job="coppice"}', value: 0.1 }]],
  },
  'How much more can it take?': {
    series: {
      [`${time}_sum{${a}}`]: '0+15x20',
      [`${time}_count{${a}}`]: '0+3000x20',
      [`${time}_sum{${b}}`]: '0+30x20',
      [`${time}_count{${b}}`]: '0+3000x20',
    },
    answers: [
      [
        { labels: '{instance="a",job="coppice"}', value: 0.25 },
        { labels: '{instance="b",job="coppice"}', value: 0.5 },
      ],
      [
        { labels: '{instance="a",job="coppice"}', value: 200 },
        { labels: '{instance="b",job="coppice"}', value: 100 },
      ],
    ],
  },
};

const cases = Object.entries(stories).map(([title, story]) => ({ title, ...story }));

describe('The page on monitoring', () => {
  it('has queries for each of these questions, and for no other', () => {
    const asked = [...queries].filter(([, exprs]) => exprs.length > 0);
    expect(asked.map(([title, exprs]) => [title, exprs.length])).toEqual(
      cases.map(({ title, answers }) => [title, answers.length]),
    );
  });
});

describe.skipIf(withoutPromtool !== '')(`The question${withoutPromtool}`, () => {
  it.each(cases)('"$title" is answered', async ({ title, series, answers }) => {
    const promql_expr_test = (queries.get(title) ?? []).map((expr, at) => ({
      // Floating-point numbers are compared digit by digit.
      expr: `round(${expr}, 0.001)`,
      eval_time: '15m',
      exp_samples: answers[at],
    }));
    const test = {
      evaluation_interval: '1m',
      tests: [{ interval: '1m', input_series: inputOf(series), promql_expr_test }],
    };
    const { code, stdout, stderr } = await promtool({ 'test.yaml': test }, 'test rules test.yaml');
    expect(code, `${stdout}${stderr}`).toBe(0);
  });
});
