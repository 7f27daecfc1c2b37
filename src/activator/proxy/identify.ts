// Which revision a request is for (spec activator 1.5): by the two headers that Knative's ingress
// sets, or by the host name of a Service.
import { one } from './headers.ts';

export interface Target {
  readonly namespace: string;
  readonly name: string;
}

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** Undefined: it names none. `host` may have a port (H-78); the domain is the cluster's (H-79). */
export function targetOf(headers: Headers, host: string, domain: string): Target | undefined {
  const namespace = one(headers['knative-serving-namespace']);
  const name = one(headers['knative-serving-revision']);
  if (namespace !== undefined && name !== undefined && namespace !== '' && name !== '') {
    return { namespace, name };
  }
  return targetOfHost(host, domain);
}

function targetOfHost(host: string, domain: string): Target | undefined {
  const [name, namespace, kind, ...rest] = host.split('.');
  if (name === undefined || namespace === undefined || kind !== 'svc') return undefined;
  if (name === '' || namespace === '' || rest.length === 0) return undefined;
  const [given] = rest.join('.').split(':');
  return given === domain ? { namespace, name } : undefined;
}
