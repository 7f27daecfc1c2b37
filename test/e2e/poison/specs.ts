// Poisoned PodCliqueSets, drawn with fast-check: each is a good set with one thing wrong, named by
// its form. The property test and the one with a real controller share them.
import fc from 'fast-check';
import { setBody } from '#test/support/workload.ts';

export interface Poison {
  readonly form: string;
  /** A PodCliqueSet as somebody sends it; anything may be wrong. */
  readonly body: Fields;
}

export type Fields = Record<string, unknown>;

/** A change of a good set. */
type Spoil = (set: Fields) => void;

const numbers = fc.constantFrom(
  2 ** 31 - 1,
  2 ** 31,
  2 ** 53,
  50_001,
  100_000,
  -1,
  -(2 ** 31),
  1.5,
  '3',
  null,
);
const hostileKeys = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'length', ''];
const oddities = ['🦄', '👨‍👩‍👧', 'ünï', '\u0000', '\ud800', 'a b', '../..', '*', '>'];
const emoji = fc.constantFrom(...oddities);
const noObject = fc.constantFrom<unknown>(null, [], 'text', 7, true, [null], {});

/** Puts a value at a path of own fields and list places; makes no field on the way. */
function put(target: unknown, path: readonly (string | number)[], value: unknown): void {
  let here = target;
  for (const key of path.slice(0, -1)) here = fieldOf(here, key);
  const [last] = path.slice(-1);
  if (typeof here !== 'object' || here === null || last === undefined) return;
  Object.defineProperty(here, last, {
    value,
    enumerable: true,
    writable: true,
    configurable: true,
  });
}

const fieldOf = (value: unknown, key: string | number): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;

const template = ['spec', 'template'] as const;
const clique = [...template, 'cliques', 0] as const;
const podSpec = [...clique, 'spec', 'podSpec'] as const;

/** One way to spoil a set: its name and the changes that it may make. */
const form = <T>(
  name: string,
  values: fc.Arbitrary<T>,
  spoil: (value: T, set: Fields) => void,
): fc.Arbitrary<{ readonly name: string; readonly spoil: Spoil }> =>
  values.map((value) => ({ name, spoil: (set: Fields) => spoil(value, set) }));

const anywhere = fc.constantFrom<readonly (string | number)[]>(
  ['spec'],
  ['status'],
  ['metadata', 'labels'],
  ['metadata', 'annotations'],
  ['metadata', 'ownerReferences'],
  template,
  [...template, 'cliques'],
  [...template, 'headlessServiceConfig'],
  [...template, 'terminationDelay'],
  [...template, 'podCliqueScalingGroups'],
  [...template, 'topologyConstraint'],
  clique,
  [...clique, 'name'],
  [...clique, 'labels'],
  [...clique, 'spec'],
  [...clique, 'spec', 'startsAfter'],
  podSpec,
  [...podSpec, 'containers'],
  [...podSpec, 'initContainers'],
  [...podSpec, 'volumes'],
  [...podSpec, 'schedulingGates'],
);

const mapPlaces = fc.constantFrom(
  ['metadata', 'labels'],
  ['metadata', 'annotations'],
  [...clique, 'labels'],
  [...clique, 'annotations'],
  [...podSpec, 'nodeSelector'],
);

const enumPlaces = fc.constantFrom(
  [...template, 'cliqueStartupType'],
  [...podSpec, 'restartPolicy'],
  [...podSpec, 'dnsPolicy'],
  ['spec', 'updateStrategy'],
);

const manyCliques = (count: number, name: (index: number) => string): Fields[] =>
  Array.from({ length: count }, (_, index) => ({
    name: name(index),
    spec: { roleName: 'r', replicas: 1, podSpec: { containers: [{ name: 'c', image: 'i:1' }] } },
  }));

const mapOf = (count: number): Fields =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, `${index}`]));

function nested(depth: number): unknown {
  let value: unknown = 'bottom';
  for (let level = 0; level < depth; level++) value = level % 2 === 0 ? { a: value } : [value];
  return value;
}

const forms = fc.oneof(
  form('replicas of the set', numbers, (value, set) => put(set, ['spec', 'replicas'], value)),
  form('replicas of a clique', numbers, (value, set) =>
    put(set, [...clique, 'spec', 'replicas'], value),
  ),
  form('minAvailable', numbers, (value, set) =>
    put(set, [...clique, 'spec', 'minAvailable'], value),
  ),
  form('not an object', fc.tuple(anywhere, noObject), ([path, value], set) =>
    put(set, path, value),
  ),
  form(
    'an arbitrary spec',
    fc.tuple(anywhere, fc.jsonValue({ maxDepth: 4 })),
    ([path, value], set) => put(set, path, value),
  ),
  form('hostile keys', fc.tuple(mapPlaces, fc.constantFrom(...hostileKeys)), ([path, key], set) => {
    const map = {};
    put(map, [key], 'x');
    put(set, path, map);
  }),
  form('emoji', fc.tuple(mapPlaces, emoji, emoji), ([path, key, value], set) =>
    put(set, path, { [key]: value }),
  ),
  form('a clique named oddly', emoji, (name, set) => put(set, [...clique, 'name'], name)),
  form('unknown enum', enumPlaces, (path, set) =>
    put(set, path, path.length === 2 ? { type: 'Whenever' } : 'Whenever'),
  ),
  form(
    'many labels',
    fc.tuple(mapPlaces, fc.constantFrom(1_000, 10_000, 100_000)),
    ([path, count], set) => put(set, path, mapOf(count)),
  ),
  form('long name', fc.constantFrom(46, 63, 64, 253), (length, set) =>
    put(set, ['metadata', 'name'], 'n'.repeat(length)),
  ),
  form('long clique name', fc.constantFrom(63, 253, 1_000), (length, set) =>
    put(set, [...clique, 'name'], 'c'.repeat(length)),
  ),
  form('names that collide', fc.constantFrom('-0', '-1', '-0-worker'), (end, set) => {
    put(set, ['metadata', 'name'], `crowd${end}`);
    put(set, [...clique, 'name'], end === '-0' ? 'worker' : '0-worker');
  }),
  form('names alike in 200 characters', fc.integer({ min: 0, max: 9 }), (end, set) =>
    put(set, ['metadata', 'name'], `${'a'.repeat(200)}${end}`),
  ),
  form('many cliques', fc.constantFrom(50, 2_000), (count, set) =>
    put(
      set,
      [...template, 'cliques'],
      manyCliques(count, (index) => `c${index}`),
    ),
  ),
  form('cliques of one name', fc.constantFrom('', 'same'), (name, set) =>
    put(
      set,
      [...template, 'cliques'],
      manyCliques(3, () => name),
    ),
  ),
  form('a start-up cycle', fc.constantFrom(['worker'], ['nobody'], [''], [null]), (after, set) => {
    put(set, [...template, 'cliqueStartupType'], 'CliqueStartupTypeExplicit');
    put(set, [...clique, 'spec', 'startsAfter'], after);
  }),
  form('huge pod spec', fc.constantFrom(100, 5_000), (count, set) =>
    put(
      set,
      [...podSpec, 'containers'],
      [
        {
          name: 'c',
          image: 'i:1',
          env: Array.from({ length: count }, (_, index) => ({
            name: `E${index}`,
            value: 'v'.repeat(50),
          })),
        },
      ],
    ),
  ),
  form('a deep object', fc.constantFrom(50, 500, 1_000), (depth, set) =>
    put(set, [...clique, 'spec', 'podSpec', 'affinity'], nested(depth)),
  ),
  form('foreign finalizers', fc.integer({ min: 1, max: 500 }), (count, set) =>
    put(
      set,
      ['metadata', 'finalizers'],
      Array.from({ length: count }, (_, index) => `nobody.example/${index}`),
    ),
  ),
  form(
    'deleted long ago',
    fc.constantFrom('1970-01-01T00:00:00Z', 'yesterday', null),
    (at, set) => {
      put(set, ['metadata', 'finalizers'], ['nobody.example/hold']);
      put(set, ['metadata', 'deletionTimestamp'], at);
    },
  ),
  form('a status of another', fc.constantFrom(10, 10_000), (count, set) =>
    put(set, ['status'], {
      observedGeneration: -5,
      replicas: 'many',
      lastErrors: Array.from({ length: count }, () => ({ code: 'X' })),
      conditions: [null, { type: 'Parked', status: 'True' }, 3],
    }),
  ),
);

/** As many as wanted, the same for the same seed; named apart but where the form gives the name. */
export const poisons = (seed: number, count: number): readonly Poison[] =>
  fc.sample(forms, { seed, numRuns: count }).map(({ name, spoil }, index) => {
    const body: Fields = structuredClone({ ...setBody({ name: `p${index}`, replicas: 1 }) });
    spoil(body);
    return { form: name, body };
  });
