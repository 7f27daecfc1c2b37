// What may hold a secret is shown nowhere: wherever it stands in an object, a view or a fact.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json } from '#machines/kubernetes/objects.ts';
import { masked } from '#machines/kubernetes/mask.ts';
import { anyText } from '#test/support/text.ts';

const planted = 'hunter2-hunter2';

const places: readonly (readonly [string, Json])[] = [
  ['the value of an environment variable', { env: [{ name: 'GREETING', value: planted }] }],
  ['a header of a probe', { httpHeaders: [{ name: 'X-Anything', value: planted }] }],
  ['data of a Secret', { kind: 'Secret', data: { key: planted } }],
  ['data of a Secret as text', { kind: 'Secret', stringData: { key: planted } }],
  ['a Secret in a list', [{ items: [{ kind: 'Secret', data: { key: planted } }] }]],
  [
    'an annotation that repeats the object',
    {
      metadata: {
        annotations: { 'kubectl.kubernetes.io/last-applied-configuration': `{"x":"${planted}"}` },
      },
    },
  ],
  ['an annotation that is named like one', { annotations: { 'example.com/api-token': planted } }],
  ['a field that is named like one', { spec: { bootstrapToken: planted } }],
  ['a pair that is named like one', [{ name: 'password', value: planted }]],
  ['an argument', { args: ['serve', `--token=${planted}`] }],
  ['an argument behind its flag', { command: ['serve', '--api-key', planted] }],
  ['a URL', { url: `https://user:${planted}@example.com` }],
  ['a header in a text', { message: `sent Authorization: Bearer ${planted}` }],
  ['a text of an error', { error: `invalid: password: ${planted}` }],
];

/** As a template of a set has it. */
const within = (value: Json): Json => ({
  spec: { template: { cliques: [{ spec: { podSpec: { containers: [value] } } }] } },
});

describe('A secret', () => {
  it.each(places)('is masked as %s', (_, value) => {
    for (const place of [value, within(value), { state: value }, [[value]]]) {
      expect(JSON.stringify(masked(place))).not.toContain('hunter2');
    }
  });

  it('is masked in any depth, and in no object of its own making', () => {
    const texts = anyText({ maxLength: 10 });
    const keys = fc.oneof(texts, fc.constantFrom('env', 'annotations', '__proto__', 'kind'));
    const json = fc.letrec((tie) => ({
      tree: fc.oneof(
        { depthSize: 'small' },
        texts,
        fc.constantFrom(...places.map(([, value]) => value)),
        fc.array(tie('tree'), { maxLength: 3 }),
        fc.dictionary(keys, tie('tree'), { maxKeys: 3 }),
      ),
    })).tree;
    fc.assert(
      fc.property(json, (value) => {
        const before = JSON.stringify(value);
        expect(JSON.stringify(masked(value as Json))).not.toContain('hunter2');
        expect(JSON.stringify(value)).toBe(before);
      }),
    );
  });

  it('is not shown either where nobody looks that deep', () => {
    let value: Json = { text: planted };
    for (let depth = 0; depth < 5_000; depth++) value = [value];
    expect(JSON.stringify(masked(value))).not.toContain('hunter2');
  });
});

describe('What is no secret', () => {
  it.each<Json>([
    { env: [{ name: 'A', valueFrom: { secretKeyRef: { name: 'mine', key: 'k' } } }] },
    { volumes: [{ secret: { secretName: 'mine' } }] },
    { metadata: { annotations: { 'example.com/owner': 'me' }, labels: { token: '' } } },
    { replicas: 3, ready: true, note: null, tokenExpiry: '2026-01-01' },
    { kind: 'ConfigMap', data: { motd: 'hello' } },
    { what: 'createPods', why: '2 of 4 pods are missing' },
  ])('is shown as it is: %j', (value) => {
    const shown = JSON.stringify(masked(value));
    expect(shown.replace('"token":"[redacted]"', '"token":""')).toBe(JSON.stringify(value));
  });

  it('are the keys of a Secret', () => {
    const secret = { kind: 'Secret', data: { user: 'YQ==', extra: 'Yg==' } };
    expect(masked(secret)).toEqual({
      kind: 'Secret',
      data: { user: '[redacted]', extra: '[redacted]' },
    });
  });
});
