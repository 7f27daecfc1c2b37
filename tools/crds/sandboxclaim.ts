// The CRD of SandboxClaim (spec agent-sandbox 1.3).
import { conditions } from './common.ts';
import { deprecation, older, podMetadata, readyColumn, reasonColumn } from './sandbox.ts';
import { shutdownTime, stored, volumeClaimTemplates } from './sandbox.ts';
import { extensions } from './sandboxtemplate.ts';
import { age, column, int32, list, object, oneOf, root, text } from './shapes.ts';
import type { Definition, Shape } from './shapes.ts';

const lifecycle = object('When the claim ends, and what becomes of it then.', {
  shutdownPolicy: oneOf(
    'What is deleted when it expires.',
    ['Delete', 'DeleteForeground', 'Retain'],
    { default: 'Retain' },
  ),
  shutdownTime,
  ttlSecondsAfterFinished: int32('Seconds from the end of the pod until it expires.', {
    minimum: 0,
  }),
});

const variable = object('An environment variable.', {
  containerName: text('The container that gets it; absent: all of them.'),
  'name!': text('Its name.'),
  'value!': text('Its value.'),
});

const spec = (more: Readonly<Record<string, Shape>>): Shape =>
  object('What is wanted.', {
    additionalPodMetadata: podMetadata('Labels and annotations that the pod gets too.'),
    env: list(variable, 'Environment variables, for a Sandbox of its own.', {
      'x-kubernetes-list-type': 'atomic',
    }),
    lifecycle,
    ...more,
  });

const status = object('What was observed.', {
  conditions: conditions('Observations about the claim.'),
  sandbox: object('The Sandbox of the claim.', {
    name: text('Its name.'),
    podIPs: list(text(), 'Addresses of its pod.'),
  }),
});

const named = (description: string): Shape =>
  object(description, { 'name!': text('Its name, in the namespace of this object.') });

export const templateRef = named('The SandboxTemplate.');

const description = 'A Sandbox for a user, out of a warm pool if one is ready.';
const kind = 'SandboxClaim';

export const sandboxClaim: Definition = {
  group: extensions,
  kind,
  plural: 'sandboxclaims',
  shortName: 'sandboxclaim',
  scope: 'Namespaced',
  version: stored,
  columns: [readyColumn, column('Sandbox', 'string', '.status.sandbox.name'), reasonColumn, age],
  schema: root(
    description,
    spec({ volumeClaimTemplates, 'warmPoolRef!': named('The SandboxWarmPool.') }),
    status,
  ),
  deprecated: {
    version: older,
    warning: deprecation(extensions, kind),
    columns: [],
    schema: root(
      description,
      spec({
        'sandboxTemplateRef!': templateRef,
        warmpool: text('A pool by its name, `default`: any of the template, `none`: no pool.', {
          default: 'default',
        }),
      }),
      status,
    ),
  },
};
