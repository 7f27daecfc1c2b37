// docs/security.md names for each rule the tests that hold it, or the work that brings what is not
// there yet, or why it cannot be shown here, and SECURITY.md what stops each attacker; this holds
// both pages and the tests together.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const root = new URL('../../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8');

const page = read('docs/security.md');
const rules = page.split('\n').flatMap((line) => {
  const [, id, text] = /^- \*\*(S-\d+)\*\* (.+)$/.exec(line) ?? [];
  return id === undefined || text === undefined ? [] : [{ id, text }];
});

const proofs = rules.flatMap(({ id, text }) =>
  [...text.matchAll(/`(test\/[^`]+)`: ([^;]+?)(?=;|\. Not |\.$)/g)].map(([, file, title]) => ({
    id,
    file: file ?? '',
    title: title ?? '',
  })),
);

describe('The page of security', () => {
  it('has every rule, in order', () => {
    const ids = Array.from({ length: 23 }, (_, index) => `S-${index + 1}`);
    expect(rules.map(({ id }) => id)).toEqual(ids);
  });

  it('names for each rule a test, or what brings one', () => {
    const bare = rules.filter(
      ({ id, text }) =>
        !proofs.some((proof) => proof.id === id) && !/Not yet: .*comes with \S/.test(text),
    );
    expect(bare).toEqual([]);
  });

  it.each(proofs)('has the test of $id: $title', ({ file, title }) => {
    expect(read(file).replaceAll(/\s+/g, ' ')).toContain(title);
  });

  it('says what Not means: what it waits for, or why it cannot be shown here', () => {
    const vague = rules.filter(
      ({ text }) =>
        / Not /.test(text) && !/ Not (?:yet: .*comes with \S|shown here: \S)/.test(text),
    );
    expect(vague).toEqual([]);
  });

  it('says who can use a ServiceAccount', () => {
    expect(page.replaceAll(/\s+/g, ' ')).toContain(
      'Anyone who may create pods in a namespace can use any ServiceAccount of that namespace',
    );
  });
});

describe('The threat model', () => {
  const model = read('SECURITY.md');
  const attackers = model.split('\n').filter((line) => /^\| [^|]+ \| [^|]+ \|.* S-\d+/.test(line));

  it('names for each attacker what stops it, and the rules that show it', () => {
    const named = attackers.flatMap((line) => [...line.matchAll(/S-\d+/g)].map(([id]) => id));
    expect(attackers.length).toBeGreaterThan(7);
    expect(named.filter((id) => !rules.some((rule) => rule.id === id))).toEqual([]);
  });

  const shown = attackers.map((line) => {
    const [, file = '', title = ''] = /`(test\/[^`]+)`: (.+?) \|$/.exec(line) ?? [];
    return { attacker: line.split('|')[1]?.trim() ?? '', file, title };
  });

  it.each(shown)('names a test that shows what stops $attacker: $title', ({ file, title }) => {
    expect(file).not.toBe('');
    expect(read(file).replaceAll(/\s+/g, ' ')).toContain(title);
  });

  it('says how to report a vulnerability, and which versions are mended', () => {
    expect(model).toMatch(/^## Reporting a vulnerability$/m);
    expect(model).toMatch(/^## Supported versions$/m);
  });
});
