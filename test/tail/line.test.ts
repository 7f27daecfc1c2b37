// Facts as lines: one for each, without what a terminal would obey or a secret, and what is no fact
// is passed on. And which facts are wanted, as a subject.
import { expect, test } from 'vitest';
import { encodeFact } from '#bus/codec.ts';
import { paintFor } from '#src/plugin/show/paint.ts';
import { filterOf } from '#src/tail/filter.ts';
import { formatLine } from '#src/tail/line.ts';
import { factOf, key } from '#test/support/bus/samples.ts';

const none = { kind: undefined, namespace: undefined, name: undefined, what: undefined };
const wanted = (flags: object) => filterOf({ ...none, trace: undefined, ...flags });
const plain = paintFor(false);

const lineOf = (...about: Parameters<typeof factOf>): string => {
  const bytes = encodeFact({ ...factOf(...about), at: Date.UTC(2026, 10, 22, 14, 2, 11, 120) });
  return bytes.ok ? new TextDecoder().decode(bytes.value) : '';
};

test('a fact is its time, its actor, what happened, and its trace', () => {
  const line = lineOf(key('a'), { what: 'createPods', why: '2 of 4 pods are missing' });
  const { trace, what } = factOf(key('a'));
  expect(formatLine(line, plain)).toMatch(/^14:02:11\.120 podclique\/default\/a /);
  expect(formatLine(line, plain)).toContain(` ${what} `);
  expect(formatLine(line, plain)).toMatch(new RegExp(` ${trace}$`));
});

test('a fact of an edit names who edited and which fields', () => {
  const edit = { manager: 'kubectl-edit', operation: 'Update', at: 0, paths: ['spec.replicas'] };
  const data = { kind: 'PodCliqueSet', name: 'demo', version: '7', summary: 'seen', edit };
  const line = lineOf(key('demo'), data).replace(
    /"what":"[^"]*","data"/,
    '"what":"observed","data"',
  );
  expect(formatLine(line, plain)).toContain(
    'observed PodCliqueSet demo seen, by kubectl-edit Update: spec.replicas',
  );
});

test('a fact is coloured where colours are wanted', () => {
  const line = lineOf(key('a'));
  expect(formatLine(line, plain)).not.toContain('\u001b');
  expect(formatLine(line, paintFor(true))).toContain('\u001b[');
});

test('what a terminal would obey is taken out of facts and of other lines', () => {
  const line = lineOf(key('a'), { what: 'x\u001b[2J', why: 'y\u0007\r' });
  expect(formatLine(line, plain)).not.toMatch(/\p{Cc}/u);
  expect(formatLine('12:00 no fact \u001b]0;title\u0007', plain)).toBe('12:00 no fact  ]0;title ');
});

test('a secret in an error is not shown', () => {
  const line = lineOf(key('a'), { what: 'failed', why: 'Authorization: Bearer abc.def-ghi' });
  expect(formatLine(line, plain)).not.toContain('abc.def-ghi');
});

test.each(['{', '{"a":1}', '[]', 'Subscribing on coppice.fact.>', 'null'])(
  'what is no fact is passed on: %s',
  (line) => {
    expect(formatLine(line, plain)).toBe(line);
  },
);

test('an empty line is left out', () => {
  expect(formatLine('  ', plain)).toBeUndefined();
});

test.each([
  [{}, 'coppice.fact.*.*.*.*'],
  [{ kind: 'PodClique' }, 'coppice.fact.podclique.*.*.*'],
  [{ namespace: 'team-a', what: 'parked' }, 'coppice.fact.*.team-a.*.parked'],
  [{ name: 'demo.v2' }, 'coppice.fact.*.*.demo%2Ev2.*'],
  [{ namespace: '', kind: 'topologybinding' }, 'coppice.fact.topologybinding.%.*.*'],
])('the flags %j subscribe to %s', (flags, subject) => {
  expect(wanted(flags)).toMatchObject({ subject });
});

test('a wrong kind is answered with those that there are', () => {
  expect(wanted({ kind: 'podclik' })).toMatch(/^--kind: there is no "podclik".*podclique/);
  expect(wanted({ what: 'transitions' })).toMatch(/^--what: .*transition/);
});
