// What the plugin prints, as texts: tables, trees, reasons, traces, progress, colours; and how it
// reads streams and writes archives.
import { execFileSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import type { KubeObject } from '#machines/kubernetes/objects.ts';
import type { FactRow } from '#src/inspector/protocol.ts';
import { archive } from '#src/plugin/archive.ts';
import { factText, readFact, traceLines } from '#src/plugin/facts.ts';
import { glanceAt } from '#src/plugin/glance.ts';
import { eventsIn } from '#src/plugin/reach/events.ts';
import { isColoured, outputTo, type Stream } from '#src/plugin/show/output.ts';
import { paintFor } from '#src/plugin/show/paint.ts';
import { Progress } from '#src/plugin/show/progress.ts';
import { oneLine, span, table } from '#src/plugin/show/table.ts';
import { treeOf } from '#src/plugin/tree.ts';
import { stateText, whyLines } from '#src/plugin/why.ts';

const plain = paintFor(false);
const key = { kind: 'podclique', namespace: 'default', name: 'w' } as const;

const object = (kind: string, name: string, owner?: string, more: object = {}): KubeObject => ({
  apiVersion: 'grove.io/v1alpha1',
  kind,
  metadata: {
    ...{ name, namespace: 'default', uid: name },
    ...(owner === undefined
      ? {}
      : {
          ownerReferences: [
            { apiVersion: 'x', kind: 'x', name: owner, uid: owner, controller: true },
          ],
        }),
  },
  ...more,
});

describe('A tree', () => {
  test('shows what is owned below its owner, kinds and numbers in order', () => {
    const items = [
      { kind: 'PodClique', object: object('PodClique', 'demo-10', 'demo') },
      { kind: 'PodClique', object: object('PodClique', 'demo-2', 'demo') },
      { kind: undefined, object: object('Pod', 'demo-2-a', 'demo-2') },
      { kind: 'PodGang', object: object('PodGang', 'demo-0', 'demo') },
      { kind: 'PodCliqueSet', object: object('PodCliqueSet', 'demo') },
      { kind: undefined, object: object('Pod', 'stranger', 'a-deployment') },
    ] as const;
    const lines = treeOf(items, undefined).map(
      (line) => `${line.indent}${line.object.metadata.name}`,
    );
    expect(lines).toEqual(['demo', '├─ demo-2', '│  └─ demo-2-a', '├─ demo-10', '└─ demo-0']);
    expect(treeOf(items, ['demo-2']).map((line) => line.object.metadata.name)).toEqual([
      'demo-2',
      'demo-2-a',
    ]);
  });
});

describe('A glance', () => {
  const ready = (status: string, more: object = {}) => ({
    status: { conditions: [{ type: 'Ready', status, reason: 'R', message: 'm', ...more }] },
  });
  test.each([
    ['a condition', object('PodClique', 'a', undefined, ready('True')), 'True', 'R'],
    ['no status', object('PodClique', 'a'), 'Unknown', 'NoStatus'],
    ['a template', object('SandboxTemplate', 'a'), 'True', ''],
    [
      'a phase',
      object('PodGang', 'a', undefined, { status: { phase: 'Pending' } }),
      'False',
      'Pending',
    ],
    ['nonsense', object('PodGang', 'a', undefined, { status: 7 }), 'Unknown', 'NoStatus'],
  ] as const)('of %s', (_, it, isReady, reason) => {
    expect(glanceAt(it)).toMatchObject({ ready: isReady, reason });
  });

  test('does not believe a condition of an older spec', () => {
    const it = object('PodClique', 'a', undefined, ready('True', { observedGeneration: 1 }));
    const newer = { ...it, metadata: { ...it.metadata, generation: 2 } };
    expect(glanceAt(newer)).toMatchObject({ ready: 'Unknown', reason: 'SpecChanged' });
  });

  test('says that it is parked, or leaves', () => {
    const parked = {
      status: { conditions: [{ type: 'Parked', status: 'True', message: 'look' }] },
    };
    expect(glanceAt(object('PodClique', 'a', undefined, parked)).reason).toBe('Parked');
    const it = object('PodClique', 'a', undefined, ready('True'));
    const leaving = { ...it, metadata: { ...it.metadata, deletionTimestamp: 'now' } };
    expect(glanceAt(leaving).reason).toBe('Terminating');
  });
});

describe('Reasons', () => {
  test('are shown with what failed and what was decided', () => {
    const data = {
      value: { active: { pods: 'waiting', update: 'current' } },
      because: ['2 of 3 pods are ready'],
      wakesAt: 90_000,
      blocked: [{ object: 'Pod/default/w-0', code: 'FORBIDDEN', message: 'quota\nexceeded' }],
      decisions: [{ at: 30_000, what: 'createPods', why: '1 of 3 is missing' }],
    };
    expect(whyLines(key, data, 60_000, plain)).toEqual([
      'podclique/default/w active(pods: waiting, update: current)',
      '  2 of 3 pods are ready',
      '  it looks again in 30s, at 1970-01-01T00:01:30Z',
      '  writes that failed:',
      '    Pod/default/w-0: FORBIDDEN quota exceeded',
      '  decisions:',
      '    30s ago createPods: 1 of 3 is missing',
    ]);
    expect(whyLines(key, { mode: 'alive' }, 0, plain)).toEqual([
      'podclique/default/w alive',
      '  it waits for nothing',
    ]);
  });

  test('name a state that is no object too', () => {
    expect(stateText('awaited')).toBe('awaited');
    expect(stateText(null)).toBe('');
  });
});

const fact = (id: string, cause: string, what: string, data: FactRow['data'], at = 0): FactRow => ({
  ...{ sequence: 1, id, cause, trace: 't', at, about: 'podclique/default/w', what, data },
});

describe('Facts', () => {
  test('are one line each', () => {
    const transition = {
      from: { active: { pods: 'missing', update: 'current' } },
      to: { active: { pods: 'ready', update: 'current' } },
    };
    expect(factText(fact('a', '', 'transition', transition))).toBe(
      'transition active.pods: missing -> ready',
    );
    expect(factText(fact('a', '', 'transition', { from: 'awaited', to: 'gone' }))).toBe(
      'transition awaited -> gone',
    );
    const wrote = { op: 'create', object: 'Pod/default/w-0', outcome: 'ok', ms: 9, reason: 'r' };
    expect(factText(fact('a', '', 'wrote', wrote))).toBe(
      'wrote create Pod/default/w-0 ok in 9 ms (r)',
    );
    const edit = { manager: 'kubectl', operation: 'Update' };
    expect(factText(fact('a', '', 'observed', { kind: 'Pod', name: 'x', edit }))).toBe(
      'observed Pod x, by kubectl Update',
    );
    expect(factText(fact('a', '', 'new', { some: 'thing' }))).toBe('new {"some":"thing"}');
  });

  test('are shown below their causes, once each, also where those go round', () => {
    const facts = [
      fact('a', 'elsewhere', 'ended', {}, 100),
      fact('b', 'a', 'ended', {}, 105),
      fact('c', 'd', 'ended', {}, 110),
      fact('d', 'c', 'ended', {}, 111),
    ];
    expect(traceLines(facts, plain)).toEqual([
      '     +0ms podclique/default/w ended',
      '     +5ms   podclique/default/w ended',
      '    +10ms podclique/default/w ended',
      '    +11ms   podclique/default/w ended',
    ]);
    expect(traceLines([], plain)).toEqual([]);
  });

  test('are read from the wire, and nothing else is', () => {
    const sent = { id: 'a', what: 'ended', at: 1, about: key };
    expect(readFact(sent)).toMatchObject({ about: 'podclique/default/w', trace: '', data: {} });
    for (const value of [null, 7, {}, { id: 'a' }]) expect(readFact(value)).toBeUndefined();
  });
});

describe('A table', () => {
  test('has columns as wide as needed, and no line feeds within', () => {
    const painted = { text: 'True', paint: (text: string) => `<${text}>` };
    expect(
      table(
        ['NAME', 'READY', 'WHY'],
        [
          ['a\nb', painted, ''],
          ['long-name', 'x', 'y'],
        ],
      ),
    ).toEqual(['NAME        READY   WHY', 'a b         <True>', 'long-name   x       y']);
    expect(oneLine('a\u001b[31mb')).toBe('a [31mb');
  });

  test('has ages as kubectl has them', () => {
    expect([5_000, 300_000, 9_000_000, 300_000_000].map(span)).toEqual(['5s', '5m', '2h', '3d']);
  });
});

describe('Progress', () => {
  test('says what is done, and how long the rest takes at this pace', () => {
    const progress = new Progress('ready', 0);
    expect(progress.at(2, 10, 0)).toBe('2 of 10 ready after 0s');
    expect(progress.at(6, 10, 8_000)).toBe('6 of 10 ready after 8s, about 8s left');
    expect(progress.at(10, 10, 16_000)).toBe('10 of 10 ready after 16s');
  });
});

describe('Output', () => {
  const terminal: Stream = { isTTY: true, columns: 20, write: () => {} };
  const pipe: Stream = { write: () => {} };
  test.each([
    ['a terminal', terminal, 'auto', {}, true],
    ['a pipe', pipe, 'auto', {}, false],
    ['a terminal and NO_COLOR', terminal, 'auto', { NO_COLOR: '1' }, false],
    ['a dumb terminal', terminal, 'auto', { TERM: 'dumb' }, false],
    ['a pipe and always', pipe, 'always', {}, true],
    ['a terminal and never', terminal, 'never', {}, false],
  ] as const)('has colours: %s', (_, stream, color, environment, expected) => {
    expect(isColoured(stream, color, environment)).toBe(expected);
  });

  test('rewrites progress on a terminal, and clears it for what comes next', () => {
    let said = '';
    const write = (text: string) => (said += text);
    const options = { color: 'auto', environment: {} };
    const output = outputTo({ ...options, out: { write }, error: { ...terminal, write } });
    output.progress('one');
    output.progress('one');
    output.progress('two');
    output.line('done');
    expect(said).toBe('one\r\u001b[Ktwo\r\u001b[Kdone\n');
  });
});

describe('A stream of events', () => {
  test('is read however its bytes come', async () => {
    const sent = ': hello\n\nevent: facts\ndata: {"a":\ndata: 1}\n\nevent: ping\r\ndata: ä\r\n\r\n';
    const bytes = new TextEncoder().encode(sent);
    for (const size of [1, 7, 1000]) {
      const body = (async function* () {
        for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
      })();
      const events: object[] = [];
      for await (const event of eventsIn(body)) events.push(event);
      expect(events).toEqual([
        { type: 'facts', data: '{"a":\n1}' },
        { type: 'ping', data: 'ä' },
      ]);
    }
  });
});

describe('An archive', () => {
  test('is read by tar, with long names and empty files', () => {
    const long = `${'folder/'.repeat(12)}${'x'.repeat(60)}.json`;
    const bytes = archive(
      [
        { name: 'a.txt', content: 'hello\n' },
        { name: 'run', content: Buffer.from('#!/bin/sh'), isProgram: true },
        { name: long, content: '' },
      ],
      1_700_000_000,
    );
    const listed = execFileSync('tar', ['tvzf', '-'], { input: bytes }).toString();
    expect(listed).toMatch(/^-rw-r--r-- 0\/0 +6 2023-11-14 .* a\.txt$/m);
    expect(listed).toMatch(/^-rwxr-xr-x .* run$/m);
    expect(listed).toContain(long);
    expect(execFileSync('tar', ['xzOf', '-', 'a.txt'], { input: bytes }).toString()).toBe(
      'hello\n',
    );
  });
});
