// An EndpointSlice as the activator reads it: addresses of the pods of a Service, with what the
// platform says of each (spec activator 1.11).
import { at, count, list, text, word } from '../../kubernetes/json.ts';
import { isMalformed, readMeta } from '../../kubernetes/meta.ts';
import type { Malformed, Meta } from '../../kubernetes/meta.ts';
import type { JsonObject, KubeObject } from '../../kubernetes/objects.ts';
import { serviceLabel } from './labels.ts';

export interface Endpoint {
  /** IPv4 or IPv6. */
  readonly ip: string;
  /** UID of the pod behind it; empty: the slice does not say. */
  readonly id: string;
  readonly isReady: boolean;
}

/** What is read of a slice; nothing of it changes with metadata alone. */
export interface SlicePods {
  /** Numbers of ports by name. */
  readonly ports: Readonly<Record<string, number>>;
  readonly endpoints: readonly Endpoint[];
}

export interface ObservedSlice extends Meta, SlicePods {
  readonly kind: 'EndpointSlice';
  readonly service: string;
}

export const keptOfSlice = ({ endpoints, ports }: JsonObject) => ({ endpoints, ports });

export function readSlice(source: KubeObject): ObservedSlice | Malformed {
  const meta = readMeta(source);
  if (isMalformed(meta)) return meta;
  const service = word(meta.labels[serviceLabel]);
  if (service === undefined) {
    return { malformed: `metadata.labels["${serviceLabel}"] is not the name of a Service` };
  }
  const ports = list(source['ports']).flatMap((port): [string, number][] => {
    const number = count(at(port, 'port'));
    return number === undefined ? [] : [[text(at(port, 'name')), number]];
  });
  return {
    ...meta,
    kind: 'EndpointSlice',
    service,
    ports: Object.fromEntries(ports),
    endpoints: list(source['endpoints']).flatMap(readEndpoint),
  };
}

/** Its first address, as all of them are of one pod; none for a pod that is on its way out: it gets
 *  no new request, as though it were not listed. */
function readEndpoint(source: unknown): readonly Endpoint[] {
  const ip = word(list(at(source, 'addresses'))[0]);
  if (ip === undefined || at(source, 'conditions', 'terminating') === true) return [];
  // Absent means ready, as the API says.
  const isReady = at(source, 'conditions', 'ready') !== false;
  return [{ ip, id: text(at(source, 'targetRef', 'uid')), isReady }];
}
