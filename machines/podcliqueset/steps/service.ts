// Of a replica: its headless Service, compared and patched on the fields that are ours only,
// so that what the API server defaults causes no write (spec controllers 1.1.5).
import type { StringMap } from '../../json.ts';
import { isWithin, patchToward } from '../../merge.ts';
import type { Intent } from '../../vocabulary.ts';
import { buildService, serviceLabels, serviceSpec } from '../children.ts';
import { living } from '../context.ts';
import type { Replica } from '../context.ts';
import type { SetFact } from '../facts.ts';
import { serviceName } from '../names.ts';

export function planService(set: SetFact, index: number, replica: Replica): readonly Intent[] {
  const name = serviceName(set.name, index);
  const ref = { kind: 'Service', namespace: set.namespace, name } as const;
  if (replica.service === undefined) {
    const body = buildService(set, index);
    return [{ type: 'createObject', ref, reason: `Service of replica ${index}`, body }];
  }
  const service = living(replica.service, set);
  if (service === undefined) return [];
  const spec = serviceSpec(set, index);
  const labels: StringMap = serviceLabels(set, index);
  if (isWithin(spec, service.spec) && isWithin(labels, service.labels)) return [];
  const patch = {
    metadata: { labels: patchToward(service.labels, labels) },
    spec: patchToward(service.spec, spec),
  };
  return [{ type: 'patchObject', ref, reason: 'differs from the spec', patch, uid: service.uid }];
}
