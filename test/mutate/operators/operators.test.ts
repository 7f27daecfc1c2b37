// What each operator makes of snippets: all of its mutants, and of what it makes none.
import { describe, expect, it } from 'vitest';
import { parse } from '#test/tidy/sources.ts';
import { applied, diffOf } from '../mutant.ts';
import { allMutants, editsOf, operators } from './table.ts';

function mutantsBy(name: string, text: string): readonly string[] {
  const operator = operators[name];
  if (operator === undefined) throw new Error(`no operator ${name}`);
  return editsOf(parse('actors/snippet.ts', text), operator).map((edit) => applied(text, edit));
}

const table: Readonly<Record<string, readonly (readonly [string, readonly string[]])[]>> = {
  comparison: [
    ['if (a < b) c();', ['if (a <= b) c();']],
    ['d = a >= b;', ['d = a > b;']],
    ['d = a === b;', ['d = a !== b;']],
    ['d = a && b;', ['d = a || b;']],
    ['d = Math.min(a, b);', ['d = Math.max(a, b);']],
    ['d = all.some(test);', ['d = all.every(test);']],
    ['d = one.uid === other.uid;', []],
    ['d = a + b ?? c;', []],
  ],
  guard: [
    ['function f() { if (a) return; b(); }', ['function f() { ; b(); }']],
    ['for (const a of b) { if (a) { c(); continue; } d(); }', ['for (const a of b) { ; d(); }']],
    ['if (a) b();', []],
    ['if (a) return 1; else return 2;', []],
    ['d = a && b;', ['d = a;', 'd = b;']],
    ['d = all.filter(test).length;', ['d = all.length;']],
    ['d = a ?? b;', []],
  ],
  constant: [
    ['const most = 10;', ['const most = 11;']],
    ['a.isOver = true;', ['a.isOver = false;']],
    ["const name = 'text';", []],
    ['type Version = 1 | 2;', []],
  ],
  reason: [
    [
      "const all = [{ reason: 'Full' }, { reason: 'Gone' }];",
      [
        "const all = [{ reason: 'Gone' }, { reason: 'Gone' }];",
        "const all = [{ reason: 'Full' }, { reason: 'Full' }];",
      ],
    ],
    ["const one = { status: 'True' };", ["const one = { status: 'False' };"]],
    [
      "const f = (a) => (a ? 'now' : 'lazy');",
      ["const f = (a) => (a ? 'lazy' : 'lazy');", "const f = (a) => (a ? 'now' : 'now');"],
    ],
    ["const one = { reason: 'the only one' };", []],
    ["const one = { name: 'a' }, two = { name: 'b' };", []],
  ],
  order: [
    ['{ tell(a); end(a); }', ['{ end(a); tell(a); }']],
    ['{ this.#list.add(a); this.#look(); }', ['{ this.#look(); this.#list.add(a); }']],
    ['{ this.#list.add(a); this.#list.sort(); }', ['{ this.#list.sort(); this.#list.add(a); }']],
    ['{ cancel(); resolve(); }', []],
    ['{ a.close(); this.#list.delete(b); }', []],
    ['{ this.#list.clear(); this.#timer.stop(); }', []],
    ['{ a.b = 1; a.c = 2; }', []],
    ['send(from, to);', ['send(to, from);']],
    ["send(from, 'to');", []],
    ['const less = Math.min(one, another);', []],
    ['const steps = [one, two];', ['const steps = [two, one];']],
    ['const left = now - then;', ['const left = then - now;']],
  ],
  reset: [
    ['this.failures = 0;', [';']],
    ['this.pause = undefined;', [';']],
    ['this.waiting.delete(key);', [';']],
    ['const next = { ...before, given: new Map() };', ['const next = { ...before,  };']],
    ['const next = { ...before, given: more };', []],
    ['const next = { given: new Map() };', []],
    ['this.failures = 3;', []],
  ],
  identity: [
    ['if (known.uid !== uid) return;', ['if (false) return;']],
    ['const isSame = a.generation === b.generation;', ['const isSame = true;']],
    ['if (isNewer(version, known.version)) take();', ['if (true) take();']],
    [
      'send({ op, uid, resourceVersion: version });',
      ['send({ op,  resourceVersion: version });', 'send({ op, uid,  });'],
    ],
    ['if (uid === undefined) return;', []],
  ],
  requeue: [
    ["scheduler.touch(actor, cause, 'retry');", [';']],
    ['void this.#again(writes);', [';']],
    ['writes.waiters.set(actor, cause);', [';']],
    ['known.set(actor, cause);', []],
    ['return { intents, waits: [{ until }] };', ['return { intents, waits: [] };']],
  ],
  branch: [
    ['const a = b ? c : d;', ['const a = b ? d : c;']],
    ['if (a) { b(); } else { c(); }', ['if (a) { c(); } else { b(); }']],
    ['if (a) { b(); }', []],
  ],
};

describe('Every operator', () => {
  it('has a table of snippets', () => {
    expect(Object.keys(table)).toEqual(Object.keys(operators));
  });
});

describe.each(Object.entries(table))('The operator %s', (name, snippets) => {
  it.each(snippets)('makes of %s: %j', (text, expected) => {
    expect(mutantsBy(name, text)).toEqual(expected);
  });
});

describe('A mutant', () => {
  const text = 'export const isOld = (a: number): boolean =>\n  a > 1 && a > 1;\n';
  const mutants = allMutants([parse('src/kube/snippet.ts', text), parse('src/cli/no.ts', text)]);

  it('is made in the folders that count alone', () => {
    expect(new Set(mutants.map(({ folder }) => folder))).toEqual(new Set(['src/kube']));
  });

  it('has a name of its own, also beside one that reads the same', () => {
    expect(new Set(mutants.map(({ id }) => id)).size).toBe(mutants.length);
    expect(mutants.length).toBeGreaterThan(4);
  });

  it('keeps its name where its line moves', () => {
    const moved = allMutants([parse('src/kube/snippet.ts', `// A line more.\n\n${text}`)]);
    expect(moved.map(({ id }) => id)).toEqual(mutants.map(({ id }) => id));
  });

  it('is shown by the lines that it changes', () => {
    const dropped = mutants.find(({ operator }) => operator === 'guard');
    expect(dropped && diffOf(dropped)).toEqual([
      'src/kube/snippet.ts:2',
      '  - a > 1 && a > 1;',
      '  + a > 1;',
    ]);
  });
});
