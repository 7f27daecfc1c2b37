// Which ComputeDomains a replica of a set must have, and which PodCliques have a claim to one (spec
// controllers 8.1). Part of expected.ts.
import type { Stored } from '#src/devcluster/contract.ts';
import { at, listAt, textAt } from '../fields.ts';
import { type Complaints, nameOf } from '../oracles/complaints.ts';

export const domainKind = 'resource.nvidia.com/computedomains';
const key = 'grove.io/mnnvl-group';

/** One per group of its cliques, exactly as it was made. */
export function expectDomains(complaints: Complaints, set: Stored, index: number): void {
  const groups = listAt(set, 'spec', 'template', 'cliques').map((one) => groupOf(set, one));
  for (const group of new Set(groups.filter((one) => one !== undefined))) {
    const name = `${nameOf(set)}-${index}-${group}`;
    const domain = complaints.child(domainKind, name, set, 'pcs-computedomain');
    complaints.labels(`ComputeDomain ${name}`, domain, {
      'grove.io/podcliqueset-replica-index': String(index),
      [key]: group,
    });
    complaints.same(`finalizers of ${name}`, listAt(domain, 'metadata', 'finalizers'), [
      'grove.io/computedomain-finalizer',
    ]);
    complaints.same(`spec of ${name}`, at(domain, 'spec'), {
      // What is not set is filled in by the API server.
      channel: { resourceClaimTemplate: { name }, allocationMode: 'Single' },
      numNodes: 0,
    });
  }
}

/** The claim, in the pod spec of the PodClique or of a pod, and in the container with GPUs only.
 *  `shared`: names of claims that come behind it, in all containers. */
export function expectClaim(
  complaints: Complaints,
  what: string,
  podSpec: unknown,
  { set, index, template }: { set: Stored; index: string; template: unknown },
  shared: readonly string[] = [],
): void {
  const group = groupOf(set, template);
  const isIn = group !== undefined;
  complaints.same(`claims of ${what}`, listAt(podSpec, 'resourceClaims'), [
    ...(isIn
      ? [{ name: 'mnnvl-claim', resourceClaimTemplateName: `${nameOf(set)}-${index}-${group}` }]
      : []),
    ...shared.map((name) => ({ name, resourceClaimName: name })),
  ]);
  const [main, ...others] = listAt(podSpec, 'containers').map((one) =>
    listAt(one, 'resources', 'claims'),
  );
  const inAll = shared.map((name) => ({ name }));
  const inMain = [...(isIn ? [{ name: 'mnnvl-claim' }] : []), ...inAll];
  complaints.same(`claims of ${what}'s GPUs`, main ?? [], inMain);
  const inOthers = others.map(() => inAll);
  complaints.same(`claims of ${what}'s others`, others, inOthers);
}

/** Of the first layer that says something; undefined: it says `none`, or there are no GPUs. */
function groupOf(set: Stored, template: unknown): string | undefined {
  const gpus = at(
    listAt(template, 'spec', 'podSpec', 'containers')[0],
    ...['resources', 'limits', 'nvidia.com/gpu'],
  );
  if (gpus === undefined || Number(gpus) === 0) return undefined;
  const pack = listAt(set, 'spec', 'template', 'podCliqueScalingGroups').find((one) =>
    listAt(one, 'cliqueNames').includes(textAt(template, 'name')),
  );
  const layers = [at(template, 'annotations'), at(pack, 'annotations')];
  const said = [...layers, at(set, 'metadata', 'annotations')].map((layer) => textAt(layer, key));
  const group = said.find((one) => one !== '') ?? 'none';
  return group === 'none' ? undefined : group;
}
