// Topology constraints: the migration from the old spelling, the repair of old sets, and what each
// must not be mixed with (spec api 3.5).
import { describe, expect, it } from 'vitest';
import { fieldErrorTexts } from '#machines/kubernetes/field-errors.ts';
import type { Example } from '#src/admission/rule.ts';
import { adviseOn, findSetErrors } from '#src/admission/validate.ts';
import { setSubject } from './examples.ts';

const top = 'spec.template.topologyConstraint';
const router = 'spec.template.cliques[0].topologyConstraint';
const leader = 'spec.template.cliques[1].topologyConstraint';
const decode = 'spec.template.podCliqueScalingGroups[0].topologyConstraint';
const fixed = 'Forbidden: a topology constraint cannot change';

function said(example: Example): readonly string[] {
  const found = findSetErrors(
    setSubject({
      settings: { topologyAware: true },
      found: { bindings: { fabric: { is: 'there', domains: ['block', 'rack'] } } },
      ...example,
    }),
  );
  return found.map(({ error }) => fieldErrorTexts([error]));
}

const named = (more: Readonly<Record<string, string>>) => ({ topologyName: 'fabric', ...more });
const old = { packDomain: 'rack' };

describe('The migration of packDomain', () => {
  const before = { [top]: named(old), [router]: old };

  it('may go to pack.required of the same domain, at any level, and stay half done', () => {
    const whole = { topologyName: 'fabric', pack: { required: 'rack' } };
    expect(said({ given: { [top]: whole, [router]: old }, before })).toEqual([]);
    const clique = { pack: { required: 'rack' } };
    expect(said({ given: { [top]: whole, [router]: clique }, before })).toEqual([]);
  });

  it('may not change the domain on the way, nor go back', () => {
    const other = { topologyName: 'fabric', pack: { required: 'block' } };
    expect(said({ given: { [top]: other, [router]: old }, before })).toEqual([`${top}: ${fixed}`]);
    const now = { topologyName: 'fabric', pack: { required: 'rack' } };
    expect(said({ given: { [top]: named(old) }, before: { [top]: now } })).toEqual([
      `${top}: ${fixed}`,
    ]);
  });

  it('may not add or take away a preference', () => {
    const more = { topologyName: 'fabric', pack: { required: 'rack', preferred: 'rack' } };
    expect(said({ given: { [top]: more, [router]: old }, before })).toEqual([`${top}: ${fixed}`]);
  });

  it('is not needed: what stays as it was is accepted', () => {
    expect(
      said({ given: { [top]: named(old), 'spec.replicas': 3 }, before: { 'spec.replicas': 1 } }),
    ).toEqual([]);
  });
});

describe('The repair of a set that names no topology', () => {
  const before = { [router]: old };

  it('may name it where the constraint is, and is judged as a creation', () => {
    expect(said({ given: { [router]: named(old) }, before })).toEqual([]);
    const missing = said({ given: { [router]: named(old) }, before, found: {} });
    expect(missing).toEqual([
      `${top}.topologyName: Invalid value: "fabric": there is no ClusterTopologyBinding of this name`,
    ]);
    const unknown = said({
      given: { [router]: named({ packDomain: 'host' }) },
      before: { [router]: { packDomain: 'host' } },
    });
    expect(unknown[0]).toContain(`${router}.packDomain: Invalid value: "host"`);
  });

  it('may name it at the group and leave the clique to inherit', () => {
    const both = { [decode]: old, [leader]: old };
    expect(said({ given: { [decode]: named(old), [leader]: old }, before: both })).toEqual([]);
  });

  it('is refused while topology-aware scheduling is off', () => {
    const settings = { topologyAware: false };
    expect(said({ given: { [router]: named(old) }, before, settings })).toEqual([
      `${router}: Invalid value: ["rack"]: topology-aware scheduling is switched off in the operator`,
    ]);
  });

  it('cannot be combined with the migration of the same constraint', () => {
    const both = { topologyName: 'fabric', pack: { required: 'rack' } };
    expect(said({ given: { [router]: both }, before })).toContain(`${router}: ${fixed}`);
  });

  it('is not needed for other changes of such a set', () => {
    expect(
      said({ given: { [router]: old, 'spec.replicas': 3 }, before: { 'spec.replicas': 1 } }),
    ).toEqual([]);
  });

  it('is not for a set whose topology is known', () => {
    const resolved = { [top]: named(old), [router]: old };
    expect(said({ given: { [top]: named(old), [router]: named(old) }, before: resolved })).toEqual([
      `${router}: ${fixed}`,
    ]);
  });
});

describe('The topology of a set', () => {
  const pack = { pack: { required: 'rack' } };
  const elsewhere = { topologyName: 'other', ...pack };

  it('is inherited by a clique from its group before the set', () => {
    const given = { [decode]: { topologyName: 'fabric', ...pack }, [leader]: pack };
    expect(said({ given })).toEqual([]);
  });

  it('is not inherited by a clique from a group that it is no member of', () => {
    expect(
      said({ given: { [decode]: { topologyName: 'fabric', ...pack }, [router]: pack } }),
    ).toEqual([`${router}.topologyName: Required value: must name a ClusterTopologyBinding`]);
  });

  it.each([
    ['that differs', { [top]: { topologyName: 'nowhere', ...pack }, [router]: elsewhere }],
    ['that is missing', { [decode]: { topologyName: 'nowhere', ...pack }, [router]: pack }],
  ])('%s at one place is told there alone, and is judged no further', (_, given) => {
    const [first = '', ...others] = said({ given });
    expect(first).toContain(`${router}.topologyName: `);
    expect(others).toEqual([]);
  });

  it.each([
    [undefined, 1],
    [pack, 1],
    [elsewhere, 0],
  ])(
    'gets advice on its domains where no part is wrong: with %j in a clique %i of it',
    (part, many) => {
      const domains = { required: 'rack', preferred: 'block' };
      const given = {
        [top]: { topologyName: 'fabric', pack: domains },
        ...(part === undefined ? {} : { [router]: part }),
      };
      const found = { bindings: { fabric: { is: 'there', domains: ['block', 'rack'] } } } as const;
      const subject = setSubject({ settings: { topologyAware: true }, found, given });
      expect(adviseOn(subject)).toHaveLength(many);
    },
  );
});
