// The CRD of SandboxTemplate (spec agent-sandbox 1.2).
import { inlined } from './inline.ts';
import { blueprint, deprecation, older, stored } from './sandbox.ts';
import { list, object, oneOf, topLevel } from './shapes.ts';
import type { Definition, Shape } from './shapes.ts';

export const extensions = 'extensions.agents.x-k8s.io';

const injection = (what: string, more: Shape): Shape =>
  oneOf(`Whether claims may bring ${what} of their own.`, ['Allowed', 'Overrides', 'Disallowed'], {
    default: 'Disallowed',
    ...more,
  });

const spec = (more: Readonly<Record<string, Shape>>): Shape =>
  object('What Sandboxes are made of.', {
    ...blueprint,
    envVarsInjectionPolicy: injection('environment variables', {}),
    networkPolicy: object('Rules of the NetworkPolicy, in the place of the usual ones.', {
      egress: list(inlined('io.k8s.api.networking.v1.NetworkPolicyEgressRule'), 'Outgoing.'),
      ingress: list(inlined('io.k8s.api.networking.v1.NetworkPolicyIngressRule'), 'Incoming.'),
    }),
    networkPolicyManagement: oneOf(
      'Whether a NetworkPolicy is kept for the Sandboxes of this template.',
      ['Managed', 'Unmanaged'],
      { default: 'Managed' },
    ),
    ...more,
  });

const description = 'A blueprint of Sandboxes.';
const kind = 'SandboxTemplate';

export const sandboxTemplate: Definition = {
  group: extensions,
  kind,
  plural: 'sandboxtemplates',
  shortName: 'sandboxtemplate',
  scope: 'Namespaced',
  version: stored,
  columns: [],
  isWithoutStatus: true,
  schema: topLevel(description, {
    'spec!': spec({ volumeClaimTemplatesPolicy: injection('volumes', {}) }),
  }),
  deprecated: {
    version: older,
    warning: deprecation(extensions, kind),
    columns: [],
    isWithoutStatus: true,
    schema: topLevel(description, { 'spec!': spec({}) }),
  },
};
