// What an answer to a write of the status says that comes when another status is asked for by now.
import { expect, it } from 'vitest';
import '#machines/kinds.ts';
import { startContext, reduce } from '#machines/nvidia/computedomain/context.ts';
import type { DomainContext } from '#machines/nvidia/computedomain/context.ts';
import { planStatus } from '#machines/nvidia/computedomain/status.ts';
import { isMalformed } from '#machines/kubernetes/meta.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { readDomain } from '#machines/nvidia/objects/domain.ts';
import type { ObservedDomain } from '#machines/nvidia/objects/domain.ts';
import { mesh } from '#test/support/nvidia.ts';
import { settings } from '../clique/objects.ts';

const key = { kind: 'computedomain', namespace: 'demo', name: 'mesh' } as const;
const ref = { kind: 'ComputeDomain', namespace: 'demo', name: 'mesh' } as const;
const node = { name: 'a', ipAddress: '10.0.0.1', cliqueID: 'c.1', index: 0, status: 'Ready' };
const older: JsonObject = { status: 'Ready', nodes: [node] };
const empty: JsonObject = { status: 'Ready' };

function domainWith(status: JsonObject, resourceVersion: string): ObservedDomain {
  const source = mesh({}, status);
  const metadata = { ...source.metadata, uid: 'uid-1', resourceVersion };
  const domain = readDomain({ ...source, metadata });
  if (isMalformed(domain)) throw new Error(domain.malformed);
  return domain;
}

const seen = (context: DomainContext, status: JsonObject, version: string): DomainContext =>
  reduce(context, { type: 'domain.observed', observed: domainWith(status, version) });

/** As a reconcile leaves it; no node has a daemon. */
function planned(context: DomainContext, now: number): DomainContext {
  if (context.domain === undefined) throw new Error('there is no domain');
  return { ...context, ...planStatus(context, context.domain, now).changes };
}

const begun = (asked: DomainContext['asked']): DomainContext => ({
  ...seen(startContext({ key, root: key, settings }), empty, '1'),
  isStale: false,
  asked,
});

it('An answer to an older status leaves the newer one to be written', () => {
  let context: DomainContext = {
    ...begun({ at: 0, status: older, isOpen: true }),
    isStale: true,
  };
  // The object comes with the answer, and is reconciled before the answer is heard.
  context = planned(seen(context, older, '2'), 5_000);
  expect(context.asked).toMatchObject({ status: empty, isOpen: true });
  context = reduce(context, { type: 'effect.done', op: 'status', ref });
  context = planned(context, 8_000);
  expect(context.asked).toMatchObject({ status: empty, isOpen: true });
});

it('A status that somebody else writes is not taken for ours, although it was asked for once', () => {
  const context = begun({ at: 0, status: older, isOpen: false });
  expect(planned(seen(context, older, '2'), 5_000).asked).toMatchObject({
    status: empty,
    isOpen: true,
  });
});
