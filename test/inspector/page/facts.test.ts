// Facts in words, as trees of causes, and on the tracks of the timeline.
import { describe, expect, it } from 'vitest';
import type { FactRow } from '#src/inspector/protocol.ts';
import { byCause, movesOf, sayFact, toneOfFact } from '#src/inspector/page/core/facts.ts';
import { replaceRows } from '#src/inspector/page/core/rows.ts';
import { trackOf } from '#src/inspector/page/core/tracks.ts';
import { columnsOf, setOf } from './rows.ts';

const fact = (
  id: string,
  cause: string,
  what = 'decided',
  data: FactRow['data'] = {},
): FactRow => ({
  sequence: 1,
  id,
  cause,
  trace: 'a',
  at: 0,
  about: 'podclique/default/demo-0-worker',
  what,
  data,
});

describe('A trace', () => {
  it('is a tree of causes in order of time, and what lost its cause stands at the top', () => {
    const facts = [
      fact('a', ''),
      fact('b', 'a'),
      fact('c', 'b'),
      fact('d', 'a'),
      fact('e', 'gone'),
    ];
    expect(byCause(facts).map(({ fact: { id }, depth }) => `${id}${depth}`)).toEqual([
      'a0',
      'b1',
      'c2',
      'd1',
      'e0',
    ]);
  });

  it('holds each fact once, also one that is its own cause', () => {
    expect(byCause([fact('a', 'a'), fact('b', 'a')]).length).toBeLessThanOrEqual(2);
  });
});

describe('A fact', () => {
  it('of a transition says which regions moved', () => {
    const moved = fact('a', '', 'transition', {
      from: { active: { rollout: 'current', readiness: 'ready' } },
      to: { active: { rollout: 'replacing', readiness: 'ready' } },
    });
    expect(sayFact(moved)).toBe('rollout: current → replacing');
    expect(movesOf(moved)).toEqual([
      { region: 'rollout', from: 'active.rollout.current', to: 'active.rollout.replacing' },
    ]);
    const begun = { from: 'awaited', to: { active: { spec: 'accepted', readiness: 'missing' } } };
    expect(sayFact(fact('a', '', 'transition', begun))).toBe(
      'awaited → active, spec accepted, readiness missing',
    );
  });

  it('of an edit says who changed what', () => {
    const edit = { manager: 'kubectl-edit', operation: 'Update', at: 0, paths: ['spec.replicas'] };
    const data = { kind: 'PodCliqueSet', name: 'demo', version: '7', summary: 'seen', edit };
    expect(sayFact(fact('a', '', 'observed', data))).toBe(
      'PodCliqueSet demo seen (version 7), Update of spec.replicas by kubectl-edit',
    );
  });

  it('of a write is grave by its outcome', () => {
    const wrote = (outcome: string) => toneOfFact(fact('a', '', 'wrote', { outcome }));
    expect([wrote('ok'), wrote('CONFLICT'), wrote('FORBIDDEN')]).toEqual(['good', 'warn', 'bad']);
  });
});

describe('A track of the timeline', () => {
  it('is the base gang up to the minimum of a group, and a gang of its own for each beyond', () => {
    replaceRows(columnsOf(setOf('default', 'demo', 1, 3, 0)));
    const of = (name: string) => trackOf(`podclique/default/${name}`);
    expect(of('demo-0-router')).toBe('podgang/default/demo-0');
    expect(of('demo-0-engine-0-worker')).toBe('podgang/default/demo-0');
    expect(of('demo-0-engine-1-worker')).toBe('podgang/default/demo-0-engine-0');
    expect(of('demo-0-engine-2-leader')).toBe('podgang/default/demo-0-engine-1');
    expect(trackOf('scalinggroup/default/demo-0-engine')).toBe('podcliqueset/default/demo');
    expect(of('elsewhere-0-worker')).toBe('podclique/default/elsewhere-0-worker');
  });
});
