// A topology constraint: how it is read, and what it is in node label keys.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { domainsOf, readConstraint, translated } from '#machines/grove/objects/topologybinding.ts';
import type { Constraint } from '#machines/grove/objects/topologybinding.ts';
import { host, rack, zone } from '#test/support/topology.ts';

const levels = [zone, rack, host];
const read = (topologyConstraint: unknown): Constraint | undefined =>
  readConstraint(JSON.parse(JSON.stringify({ topologyConstraint })));

describe('A topology constraint', () => {
  it.each<readonly [string, object, Partial<Constraint>]>([
    ['pack', { pack: { required: 'rack', preferred: 'host' } }, { preferred: 'host' }],
    ['the deprecated packDomain', { packDomain: 'rack' }, {}],
    ['pack before packDomain', { packDomain: 'zone', pack: { required: 'rack' } }, {}],
    ['the topology', { topologyName: 'dc', packDomain: 'rack' }, { topologyName: 'dc' }],
    ['packDomain beside a preference', { packDomain: 'rack', pack: {} }, {}],
  ])('is read from %s', (_, given, expected) => {
    expect(read(given)).toEqual({
      topologyName: '',
      required: 'rack',
      preferred: '',
      ...expected,
    });
  });

  it.each([[undefined], [null], ['rack'], [['rack']]])('is none in %j', (given) => {
    expect(read(given)).toBeUndefined();
  });

  it('names the domains that it has', () => {
    expect(domainsOf({ topologyName: 'dc', required: '', preferred: 'host' })).toEqual(['host']);
  });

  it('has no key of a level without domain or without key', () => {
    const empty = { topologyName: '', required: '', preferred: 'rack' };
    expect(translated(empty, [{ domain: '', key: 'x' }])).toBeUndefined();
    expect(translated(empty, [{ domain: 'rack', key: '' }])).toBeUndefined();
  });
});

describe('The translation of a constraint', () => {
  const domain = fc.constantFrom('', 'zone', 'rack', 'host', 'cell');
  const constraint = fc.record({
    topologyName: fc.constant(''),
    required: domain,
    preferred: domain,
  });
  const some = fc.shuffledSubarray(levels);

  it('holds exactly the keys of the domains that are levels, whatever their order', () => {
    fc.assert(
      fc.property(constraint, some, (one, known) => {
        const keys = new Map(known.map((level) => [level.domain, level.key]));
        const expected = { required: keys.get(one.required), preferred: keys.get(one.preferred) };
        const parts = Object.entries(expected).filter(([, key]) => key !== undefined);
        const packConstraint = Object.fromEntries(parts);
        expect(translated(one, known)).toEqual(parts.length > 0 ? { packConstraint } : undefined);
        expect(translated(one, known.toReversed())).toEqual(translated(one, known));
      }),
    );
  });

  it('is none of no constraint', () => {
    expect(translated(undefined, levels)).toBeUndefined();
  });
});
