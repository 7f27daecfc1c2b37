// Cliques that wait for each other, beside what a search from each of them finds.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cyclesOf } from '#src/admission/set/cycles.ts';

type Graph = Readonly<Record<string, readonly string[]>>;

const found = (graph: Graph): readonly (readonly string[])[] =>
  cyclesOf(new Map(Object.entries(graph)));

/** All that a name reaches in one step or more. */
function reached(graph: Graph, from: string): ReadonlySet<string> {
  const names = new Set(graph[from]);
  for (const name of names) for (const next of graph[name] ?? []) names.add(next);
  return names;
}

/** Groups of names that reach each other, by looking at every pair. */
function plain(graph: Graph): readonly (readonly string[])[] {
  const names = Object.keys(graph).toSorted();
  const isPair = (a: string, b: string): boolean =>
    a === b || (reached(graph, a).has(b) && reached(graph, b).has(a));
  const groups = names.map((name) => names.filter((other) => isPair(name, other)));
  return groups.filter((group, index) => group.length > 1 && group[0] === names[index]);
}

describe('Cliques that wait for each other', () => {
  it.each<[string, Graph, readonly (readonly string[])[]]>([
    ['nobody', {}, []],
    ['one that waits for itself', { a: ['a'] }, []],
    ['one that waits for nobody we know', { a: ['x', 'b'], b: ['y'] }, []],
    ['two', { b: ['a'], a: ['b'] }, [['a', 'b']]],
    ['two, and one that waits for them', { c: ['a'], a: ['b'], b: ['a'] }, [['a', 'b']]],
    [
      'two pairs, the one behind the other',
      { a: ['b'], b: ['a', 'd'], d: ['c'], c: ['d'] },
      [
        ['a', 'b'],
        ['c', 'd'],
      ],
    ],
    [
      'three with a way back in the middle',
      { a: ['b'], b: ['c', 'a'], c: ['b'] },
      [['a', 'b', 'c']],
    ],
  ])('are found: %s', (_what, graph, expected) => {
    expect(found(graph)).toEqual(expected);
    expect(plain(graph)).toEqual(expected);
  });

  it('are those that reach each other, in any graph', () => {
    const name = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'unknown');
    const known = name.filter((one) => one !== 'unknown');
    const graphs = fc.dictionary(known, fc.uniqueArray(name, { maxLength: 3 }), { maxKeys: 6 });
    fc.assert(
      fc.property(graphs, (graph) => {
        expect(found({ ...graph })).toEqual(plain({ ...graph }));
      }),
      { numRuns: 300 },
    );
  });
});
