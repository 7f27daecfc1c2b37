// Knative's ServerlessService as the activator reads it: the names of the two Services of a
// revision (spec activator 1.2). It has the name of its revision.
import { at, word } from '../../kubernetes/json.ts';
import { isMalformed, readMeta } from '../../kubernetes/meta.ts';
import type { Malformed, Meta } from '../../kubernetes/meta.ts';
import type { KubeObject } from '../../kubernetes/objects.ts';

export interface ObservedServerless extends Meta {
  readonly kind: 'ServerlessService';
  /** Whose endpoints are the pods; undefined: it is not made yet. */
  readonly pods: string | undefined;
  /** That clients use: its endpoints are the activators while these are in the path. */
  readonly clients: string | undefined;
  /** Whether clients reach activators (`Proxy`) or pods (`Serve`). Requests are served in both, as
   *  not everybody hears of a change at once. */
  readonly mode: 'Proxy' | 'Serve';
}

export function readServerless(source: KubeObject): ObservedServerless | Malformed {
  const meta = readMeta(source);
  if (isMalformed(meta)) return meta;
  const status = source['status'];
  return {
    ...meta,
    kind: 'ServerlessService',
    pods: word(at(status, 'privateServiceName')),
    clients: word(at(status, 'serviceName')),
    mode: at(source['spec'], 'mode') === 'Serve' ? 'Serve' : 'Proxy',
  };
}
