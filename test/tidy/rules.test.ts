// Each rule of the tidy test on a few lines that break it and a few that do not.
import { describe, expect, it } from 'vitest';
import { checkBanned } from './banned.ts';
import { checkBelow } from './below.ts';
import { checkDirection } from './direction.ts';
import { brokenIn, withoutChapter } from './links.ts';
import { checkLeftovers, checkLonelyTests, checkMentions, checkOpening } from './opening.ts';
import { checkDeadExports, checkDeadFiles } from './reach.ts';
import { checkCircles, checkDoor, checkRooms, checkStandalone, checkTwins } from './rooms.ts';
import { checkColumns, checkFileLength, checkFunctionLength } from './size.ts';
import { parse, type Source, type Violation } from './sources.ts';
import { checkWords } from './words.ts';

type Rule = (sources: readonly Source[]) => readonly Violation[];

const linesOf = (rule: Rule, path: string, text: string): readonly number[] =>
  rule([parse(path, text)]).map(({ line }) => line);

describe('The rule on direction', () => {
  it.each([
    ['machines/a.ts', "import x from '#actors/b.ts';"],
    ['machines/a.ts', "import fs from 'node:fs';"],
    ['machines/a.ts', "export { x } from '../actors/b.ts';"],
    ['actors/a.ts', "import type { X } from '#bus/b.ts';"],
    ['actors/a.ts', "await import('#src/b.ts');"],
    ['bus/a.ts', "import { x } from '#actors/shards/shard.ts';"],
    ['src/a.ts', "import { x } from '#test/b.ts';"],
    ['src/a.ts', "import { x } from '../machines/b.ts';"],
    ['src/a.ts', "import { x } from './b';"],
  ])('refuses in %s: %s', (path, text) => {
    expect(linesOf(checkDirection, path, `\n${text}\n`)).toEqual([2]);
  });

  it.each([
    ['machines/a.ts', "import { setup } from 'xstate'; import { x } from './b.ts';"],
    ['actors/a.ts', "import { x } from '#machines/b.ts';"],
    ['bus/a.ts', "import type { X } from '#actors/ports.ts'; import y from '@nats-io/nats-core';"],
    [
      'src/a.ts',
      "import { x } from '#bus/b.ts'; import y from 'undici'; import z from './c/d.ts';",
    ],
    ['test/a.test.ts', "import { x } from '#src/b.ts'; import { y } from '#test/support/c.ts';"],
    ['test/b/main.ts', "start(new URL('../../src/main.ts', import.meta.url));"],
  ])('lets pass in %s: %s', (path, text) => {
    expect(linesOf(checkDirection, path, text)).toEqual([]);
  });
});

it('The rule on files that comments name knows them by path and by name alone', () => {
  const text = '// Read by b.ts and src/b.ts, never by c.ts, src/c.ts or x/*.ts.';
  const messages = checkMentions([parse('src/a.ts', text), parse('src/b.ts', '')]);
  expect(messages.map(({ message }) => message)).toEqual([
    'there is no c.ts',
    'there is no src/c.ts',
  ]);
});

it('The rule on words refuses retired ones in names of files and identifiers', () => {
  const found = checkWords([
    parse('src/lane.ts', ''),
    parse('src/a.ts', 'class A { #settleAll() {} }\nconst isFlawed = 1;'),
    parse('src/b.ts', "const plane = 'lane';\n// A wish."),
  ]);
  expect(found.map(({ path, line }) => [path, line])).toEqual([
    ['src/lane.ts', 1],
    ['src/a.ts', 1],
    ['src/a.ts', 2],
  ]);
});

describe('The rules on folders', () => {
  it.each([
    ['machines/kubernetes/a.ts', "import type { X } from '../contract/b.ts';"],
    ['machines/contract/a.ts', "import { x } from '../grove/kinds.ts';"],
    ['machines/grove/objects/a.ts', "import { x } from '../views/b.ts';"],
    ['machines/grove/podclique/a.ts', "import { x } from '../podgang/b.ts';"],
  ])('refuse in %s: %s', (path, text) => {
    expect(linesOf(checkRooms, path, `\n${text}\n`)).toEqual([2]);
  });

  it.each([
    ['machines/grove/podclique/a.ts', "import { x } from '../objects/b.ts';"],
    ['machines/grove/podclique/steps/a.ts', "import { x } from '../context.ts';"],
    ['machines/grove/module.ts', "import { x } from './podclique/behaviour.ts';"],
  ])('let pass in %s: %s', (path, text) => {
    expect(linesOf(checkRooms, path, text)).toEqual([]);
  });

  it('refuse the inside of the embedded cluster, but for its tests and itself', () => {
    const inside = "import { x } from '#src/devcluster/api/server.ts';";
    expect(linesOf(checkDoor, 'src/dev/a.ts', inside)).toEqual([1]);
    expect(linesOf(checkDoor, 'src/devcluster/a.ts', inside)).toEqual([]);
    expect(linesOf(checkDoor, 'test/a.ts', inside)).toEqual([]);
    const door = "import { x } from '#src/devcluster/cluster.ts';";
    expect(linesOf(checkDoor, 'src/dev/a.ts', door)).toEqual([]);
    const plugin = "import { x } from '#src/devcluster/plugins/grove/index.ts';";
    expect(linesOf(checkDoor, 'src/modules/grove/edge.ts', plugin)).toEqual([]);
    expect(linesOf(checkDoor, 'src/modules/other/edge.ts', plugin)).toEqual([1]);
    expect(linesOf(checkDoor, 'src/dev/a.ts', plugin)).toEqual([1]);
  });

  it.each([
    "import { label } from '#machines/grove/objects/labels.ts';",
    "import type { X } from '#machines/shop/a.ts';",
    "import { x } from '#src/init/follow.ts';",
    "import { x } from '#src/modules/index.ts';",
    "import { x } from './plugins/shop/index.ts';",
    '// Waits for the PodGang.',
    "const container = 'grove-initc';",
  ])('refuse what is of an API group in the embedded cluster, but for its plug-in: %s', (text) => {
    expect(new Set(linesOf(checkStandalone, 'src/devcluster/a.ts', `\n${text}\n`))).toEqual(
      new Set([2]),
    );
    expect(linesOf(checkStandalone, 'src/devcluster/plugins/grove/a.ts', text)).toEqual([]);
    expect(linesOf(checkStandalone, 'src/dev/a.ts', text)).toEqual([]);
  });

  it.each([
    "import type { Clock } from '#actors/ports.ts';",
    "import { x } from '#machines/kubernetes/fields.ts';",
    "import type { ClusterPlugin } from './plugins/contract.ts';",
    "import { join } from 'node:path';",
  ])('let the embedded cluster have %s', (text) => {
    expect(linesOf(checkStandalone, 'src/devcluster/a.ts', text)).toEqual([]);
  });

  it('refuse a file beside a folder of its name', () => {
    const sources = [parse('src/a.ts', ''), parse('src/a/b.ts', ''), parse('src/c.ts', '')];
    expect(checkTwins(sources).map(({ path }) => path)).toEqual(['src/a.ts']);
  });

  it('refuse a circle, by types too, and say it once', () => {
    const sources = [
      parse('src/a.ts', "import type { B } from './b.ts';"),
      parse('src/b.ts', "import { c } from './c.ts';"),
      parse('src/c.ts', "export { a } from './a.ts';"),
      parse('src/d.ts', "import { a } from './a.ts';"),
    ];
    expect(checkCircles(sources)).toEqual([
      { path: 'src/a.ts', line: 1, message: 'imports itself over src/b.ts, src/c.ts' },
    ]);
  });
});

describe('The rule on what is below the controller', () => {
  it.each([
    ['actors/a.ts', "if (kind === 'Pod') f();"],
    ['src/kube/a.ts', "const label = 'grove.io/x';"],
  ])('refuses in %s: %s', (path, text) => {
    expect(linesOf(checkBelow, path, `\n${text}\n`)).toEqual([2]);
  });

  it.each([
    ['src/kube/a.ts', "const kind = 'Event';"],
    ['src/kube/a.ts', '// The service account of a pod.'],
    ['src/dev/a.ts', "if (kind === 'Pod') f();"],
  ])('lets pass in %s: %s', (path, text) => {
    expect(linesOf(checkBelow, path, text)).toEqual([]);
  });
});

describe('The rules on size', () => {
  it('count lines of a file and of a function', () => {
    const long = 'x();\n'.repeat(301);
    expect(linesOf(checkFileLength, 'src/a.ts', long)).toEqual([300]);
    expect(linesOf(checkFileLength, 'src/a.ts', 'x();\n'.repeat(300))).toEqual([]);
    const body = 'x();\n'.repeat(60);
    expect(linesOf(checkFunctionLength, 'src/a.ts', `\nfunction f() {\n${body}}\n`)).toEqual([2]);
    expect(linesOf(checkFunctionLength, 'src/a.ts', `a(() => {\n${body}});\n`)).toEqual([1]);
    expect(linesOf(checkFunctionLength, 'test/a.test.ts', `a(() => {\n${body}});\n`)).toEqual([]);
  });

  it('let a line be wide for a text that cannot be broken, not for code or comments', () => {
    expect(linesOf(checkColumns, 'src/a.ts', `// ${'word '.repeat(21)}\n`)).toEqual([1]);
    expect(linesOf(checkColumns, 'src/a.ts', `${'f(1); '.repeat(18)}\n`)).toEqual([1]);
    expect(linesOf(checkColumns, 'src/a.ts', `f('${'x'.repeat(99)}');\n`)).toEqual([]);
  });
});

describe('The rule on time and randomness', () => {
  it.each([
    'Date.now()',
    'const now = Date.now',
    'new Date()',
    'setTimeout(f, 1)',
    'Math.random()',
    'crypto.randomUUID()',
    "console.log('x')",
    "import { setTimeout as sleep } from 'node:timers/promises'",
    "import { randomUUID } from 'node:crypto'",
  ])('refuses %s outside src/', (text) => {
    expect(linesOf(checkBanned, 'actors/a.ts', text)).toEqual([1]);
    expect(linesOf(checkBanned, 'test/a.test.ts', text)).toEqual([1]);
    expect(linesOf(checkBanned, 'src/a.ts', text)).toEqual([]);
    expect(linesOf(checkBanned, 'test/support/a.ts', text)).toEqual([]);
  });

  it('lets pass what only looks like it', () => {
    const text = "new Date(at); clock.setTimeout(f); x.now(); '// Date.now()'; type T = Date;";
    expect(linesOf(checkBanned, 'machines/a.ts', text)).toEqual([]);
  });
});

describe('The rules on texts', () => {
  it('want an opening that says something', () => {
    const opening = '// Reads the pods of a node, for the kubelet of the embedded cluster.\n';
    expect(linesOf(checkOpening, 'src/a.ts', `${opening}f();\n`)).toEqual([]);
    expect(linesOf(checkOpening, 'src/a.ts', `f();\n${opening}`)).toEqual([1]);
    expect(linesOf(checkOpening, 'src/a.ts', '// Pods.\nf();\n')).toEqual([1]);
  });

  it('find what was left for later, in comments alone', () => {
    const word = ['TO', 'DO'].join('');
    expect(linesOf(checkLeftovers, 'src/a.ts', `f('${word}');\n// ${word}: more\n`)).toEqual([2]);
  });

  it('find a test that runs alone', () => {
    expect(linesOf(checkLonelyTests, 'test/a.test.ts', "it.only('x', f);")).toEqual([1]);
    expect(linesOf(checkLonelyTests, 'test/a.test.ts', "it('x', f); a.only();")).toEqual([]);
  });
});

describe('The rules on dead code', () => {
  const main = parse('src/main.ts', "import { used } from './a.ts';\nused();\n");
  const source = parse('src/a.ts', 'export const used = 1;\nexport const dead = 2;\n');
  const lonely = parse('machines/b.ts', 'export interface X { a: 1 }\n');
  const test = parse('test/b.test.ts', "import type { X } from '#machines/b.ts';\n");

  it('find a file that nobody imports and one that only tests import', () => {
    expect(checkDeadFiles([main, source, lonely])).toMatchObject([
      { path: 'machines/b.ts', message: 'nobody imports it' },
    ]);
    expect(checkDeadFiles([main, source, lonely, test])).toMatchObject([
      { path: 'machines/b.ts', message: expect.stringContaining('only tests') },
    ]);
  });

  it('find an exported value that nobody uses; types are free', () => {
    expect(checkDeadExports([main, source, lonely])).toEqual([
      { path: 'src/a.ts', line: 2, message: 'dead is exported and nobody uses it' },
    ]);
  });
});

describe('The rule on documentation', () => {
  it('finds links and paths that lead nowhere', () => {
    const page =
      '[a](../README.md#x) `src/main.ts`\n[b](nowhere.md) `src/nowhere.ts` [c](https://x.y)';
    expect(brokenIn('docs/page.md', page)).toEqual([
      { path: 'docs/page.md', line: 2, message: 'docs/nowhere.md does not exist' },
      { path: 'docs/page.md', line: 2, message: 'src/nowhere.ts does not exist' },
    ]);
  });

  it('finds chapters that are not there, and knows those of the same name apart', () => {
    const page =
      '# A page\n## The `a` [b](c.md), d\n## Again\n## Again\n' +
      '[1](#the-a-b-d) [2](#again-1)\n[3](#again-2) [4](glossary.md#nowhere)';
    expect(withoutChapter('docs/page.md', page)).toEqual([
      { path: 'docs/page.md', line: 6, message: 'docs/page.md has no chapter #again-2' },
      { path: 'docs/page.md', line: 6, message: 'docs/glossary.md has no chapter #nowhere' },
    ]);
  });
});
