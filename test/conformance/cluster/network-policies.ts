// Checks: NetworkPolicies - defaults, what is refused, generation.
import { expect } from 'vitest';
import { objectAt } from '#machines/kubernetes/fields.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { expectRefusal, metaOf, specOf } from './session.ts';
import type { Session, Suite } from './session.ts';

const policy = (spec: JsonObject): JsonObject => ({ metadata: { name: 'a' }, spec });

const cidr = (block: string, ...except: string[]): JsonObject => ({
  podSelector: {},
  egress: [{ to: [{ ipBlock: { cidr: block, ...(except.length > 0 ? { except } : {}) } }] }],
});

async function expectRefused(s: Session, spec: JsonObject, message: string): Promise<void> {
  const answer = await s.send('POST', s.path('networkpolicies'), policy(spec));
  expectRefusal(answer, 422, 'Invalid', message);
}

export const networkPolicies: Suite = {
  async 'a NetworkPolicy is about incoming packets, and outgoing ones where it has rules'(s) {
    const path = s.path('networkpolicies');
    const made = await s.create(path, policy({ podSelector: { matchLabels: { a: 'b' } } }));
    expect(specOf(made)).toEqual({
      podSelector: { matchLabels: { a: 'b' } },
      policyTypes: ['Ingress'],
    });
    const both = { ...policy(cidr('0.0.0.0/0', '10.0.0.0/8')), metadata: { name: 'b' } };
    expect(specOf(await s.create(path, both))['policyTypes']).toEqual(['Ingress', 'Egress']);
  },

  async 'a port is of TCP where nothing else is said'(s) {
    const ingress = [{ ports: [{ port: 8080 }, { port: 'dns', protocol: 'UDP' }] }];
    const made = await s.create(s.path('networkpolicies'), policy({ ingress }));
    expect(specOf(made)).toMatchObject({
      podSelector: {},
      ingress: [
        {
          ports: [
            { port: 8080, protocol: 'TCP' },
            { port: 'dns', protocol: 'UDP' },
          ],
        },
      ],
    });
  },

  async 'its generation counts changes of its spec'(s) {
    const path = s.path('networkpolicies');
    expect(metaOf(await s.create(path, policy(cidr('10.0.0.0/8'))))['generation']).toBe(1);
    const labels = await s.patch(`${path}/a`, 'merge', { metadata: { labels: { a: 'b' } } });
    expect(metaOf(labels)['generation']).toBe(1);
    const changed = await s.patch(`${path}/a`, 'merge', { spec: { egress: null } });
    expect(metaOf(changed)['generation']).toBe(2);
    expect(objectAt(changed, 'status')).toBeUndefined();
  },

  async 'peers are one thing, and ranges are ranges'(s) {
    const from = (peer: JsonObject): JsonObject => ({ ingress: [{ from: [peer] }] });
    await expectRefused(
      s,
      from({}),
      'spec.ingress[0].from[0]: Required value: must specify a peer',
    );
    const two = { podSelector: {}, ipBlock: { cidr: '10.0.0.0/8' } };
    await expectRefused(
      s,
      from(two),
      'spec.ingress[0].from[0]: Forbidden: may not specify both ipBlock and another peer',
    );
    await expectRefused(s, cidr('10.0.0.0'), 'must be a valid CIDR value, (e.g. 10.9.8.0/24');
    await expectRefused(
      s,
      cidr('10.0.0.0/8', '11.0.0.0/16'),
      'ipBlock.except[0]: Invalid value: "11.0.0.0/16": must be a strict subset of `cidr`',
    );
    const v6 = { ...policy(cidr('::/0', 'fe80::/10')), metadata: { name: 'v6' } };
    await s.create(s.path('networkpolicies'), v6);
  },

  async 'ports are numbers or names, and their range is one'(s) {
    const port = (port: JsonObject): JsonObject => ({ ingress: [{ ports: [port] }] });
    await expectRefused(s, port({ port: 0 }), 'ports[0].port: Invalid value: 0: must be between 1');
    await expectRefused(
      s,
      port({ port: 5, endPort: 4 }),
      'must be greater than or equal to `port`',
    );
    await expectRefused(s, port({ port: 'a', endPort: 4 }), 'when `port` is non-numeric');
    await expectRefused(s, port({ endPort: 4 }), 'when `port` is not specified');
    await expectRefused(
      s,
      port({ port: 1, protocol: 'IP' }),
      'protocol: Unsupported value: "IP": supported values: "TCP", "UDP", "SCTP"',
    );
  },

  async 'a type is Ingress or Egress'(s) {
    await expectRefused(
      s,
      { policyTypes: ['Both'] },
      'spec.policyTypes[0]: Unsupported value: "Both": supported values: "Ingress", "Egress"',
    );
  },
};
