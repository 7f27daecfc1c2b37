// Who hears of which object, in which tree. A warm pool is the root of a tree in which the claims
// live that name it, and the Sandboxes that it or they own; a Sandbox that comes from neither has a
// tree of its own, as has a template.
import type { ActorKey } from '../contract/address.ts';
import type { ActorKind } from '../contract/kind.ts';
import { route } from '../contract/route.ts';
import type { Delivery, Route } from '../contract/route.ts';
import type { Entry } from '../contract/view.ts';
import type { Malformed } from '../kubernetes/meta.ts';
import type { KubeObject } from '../kubernetes/objects.ts';
import { readPod, readPolicy, readService, readVolume } from './objects/belongings.ts';
import type { Belonging, ObservedPolicy } from './objects/belongings.ts';
import { readClaim } from './objects/claim.ts';
import type { ObservedClaim } from './objects/claim.ts';
import { policySuffix } from './objects/policy.ts';
import { readPool } from './objects/pool.ts';
import type { ObservedPool } from './objects/pool.ts';
import { readSandbox } from './objects/sandbox.ts';
import type { ObservedSandbox } from './objects/sandbox.ts';
import { readTemplate } from './objects/template.ts';
import type { ObservedTemplate } from './objects/template.ts';
import { shownToClaim, shownToClaims } from './views/claims.ts';
import { sandboxByName, shown, templateByName } from './views/objects.ts';
import { shownOrdinal } from './views/ordinals.ts';
import { shownOrphan } from './views/orphans.ts';
import { shownStartError } from './views/start-errors.ts';
import { shownUnowned } from './views/unowned.ts';

type Event = Delivery['event'] & { readonly [field: string]: unknown };
type Named = { readonly namespace: string; readonly name: string };

const keyOf = (kind: ActorKind, { namespace, name }: Named): ActorKey => ({
  kind,
  namespace,
  name,
});

const poolKey = (namespace: string, name: string): ActorKey =>
  keyOf('sandboxwarmpool', { namespace, name });

const toRoot = (root: ActorKey, event: Event): Delivery => ({ to: root, root, event });

function ofSandbox(sandbox: ObservedSandbox, own: Event, member: Event): readonly Delivery[] {
  const { namespace, pool, controller } = sandbox;
  const to = keyOf('sandbox', sandbox);
  const root = pool === undefined ? to : poolKey(namespace, pool);
  const isMember = controller?.kind === 'SandboxWarmPool';
  return [{ to, root, event: own }, ...(isMember ? [toRoot(root, member)] : [])];
}

function ofClaim(claim: ObservedClaim, own: Event, listed: Event): readonly Delivery[] {
  const root = poolKey(claim.namespace, claim.pool);
  return [{ to: keyOf('sandboxclaim', claim), root, event: own }, toRoot(root, listed)];
}

/** What a Sandbox controls goes to it; of the rest those read that would have something of that
 *  name. */
const belonging = <F extends Belonging>(
  kind: F['kind'],
  decode: (source: KubeObject) => F | Malformed,
  what: 'pod' | 'service' | 'volume',
  more: (observed: F) => readonly Entry[] = () => [],
): Route =>
  route<F>(kind, {
    decode,
    seen: (observed) => toOwner(observed, { type: `${what}.observed`, observed }),
    gone: (observed) => toOwner(observed, { type: `${what}.gone`, observed }),
    shown: (observed) => [...shownUnowned(observed), ...more(observed)],
  });

function toOwner({ namespace, controller }: Belonging, event: Event): readonly Delivery[] {
  if (controller?.kind !== 'Sandbox') return [];
  const to = keyOf('sandbox', { namespace, name: controller.name });
  return [{ to, root: to, event }];
}

export const agentSandboxRoutes: readonly Route[] = [
  route<ObservedSandbox>('Sandbox', {
    decode: readSandbox,
    seen: (observed) =>
      ofSandbox(
        observed,
        { type: 'sandbox.observed', observed },
        { type: 'member.observed', observed },
      ),
    gone: (observed) =>
      ofSandbox(
        observed,
        { type: 'sandbox.gone', uid: observed.uid },
        { type: 'member.left', observed },
      ),
    shown: (observed) => [
      ...shown(sandboxByName)(observed),
      ...shownOrphan(observed),
      ...shownOrdinal(observed),
      ...shownToClaim(observed),
    ],
  }),
  route<ObservedClaim>('SandboxClaim', {
    decode: readClaim,
    seen: (observed) =>
      ofClaim(observed, { type: 'claim.observed', observed }, { type: 'claim.listed', observed }),
    gone: (observed) =>
      ofClaim(
        observed,
        { type: 'claim.gone', uid: observed.uid },
        { type: 'claim.left', observed },
      ),
  }),
  route<ObservedPool>('SandboxWarmPool', {
    decode: readPool,
    seen: (observed) => [
      toRoot(poolKey(observed.namespace, observed.name), { type: 'pool.observed', observed }),
    ],
    gone: (observed) => [
      toRoot(poolKey(observed.namespace, observed.name), { type: 'pool.gone', uid: observed.uid }),
    ],
    shown: shownToClaims,
  }),
  route<ObservedTemplate>('SandboxTemplate', {
    decode: readTemplate,
    seen: (observed) => [
      toRoot(keyOf('sandboxtemplate', observed), { type: 'template.observed', observed }),
    ],
    gone: (observed) => [
      toRoot(keyOf('sandboxtemplate', observed), { type: 'template.gone', uid: observed.uid }),
    ],
    shown: shown(templateByName),
  }),
  belonging('SandboxPod', readPod('SandboxPod'), 'pod', shownStartError),
  belonging('AdoptablePod', readPod('AdoptablePod'), 'pod'),
  belonging('SandboxService', readService('SandboxService'), 'service'),
  belonging('AdoptableService', readService('AdoptableService'), 'service'),
  belonging('SandboxVolume', readVolume('SandboxVolume'), 'volume'),
  belonging('AdoptableVolume', readVolume('AdoptableVolume'), 'volume'),
  route<ObservedPolicy>('TemplatePolicy', {
    decode: readPolicy,
    seen: (observed) => ofPolicy(observed, { type: 'policy.observed', observed }),
    gone: (observed) => ofPolicy(observed, { type: 'policy.gone', observed }),
  }),
];

/** Also to the template that it is named after, as that must not take what another one owns. Older
 *  versions made one for each claim, which removes it. */
function ofPolicy(
  { namespace, name, controller }: ObservedPolicy,
  event: Event,
): readonly Delivery[] {
  const named = name.endsWith(policySuffix) ? [name.slice(0, -policySuffix.length)] : [];
  const owner = controller?.kind === 'SandboxTemplate' ? [controller.name] : [];
  const claims = controller?.kind === 'SandboxClaim' ? named : [];
  return [
    ...claims.map((claim) => toRoot(keyOf('sandboxclaim', { namespace, name: claim }), event)),
    ...[...new Set([...owner, ...named])].map((template) =>
      toRoot(keyOf('sandboxtemplate', { namespace, name: template }), event),
    ),
  ];
}
