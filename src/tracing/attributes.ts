// What spans and their events say, from facts, whose secrets are masked: names as the semantic
// conventions of OpenTelemetry have them where these have one, and ours under `coppice.`;
// docs/tracing.md lists them. Used by tracer.ts.
import type { Fact } from '#actors/ports.ts';
import type { ActorKey } from '#machines/contract/address.ts';
import { apiKind, isKind, objectKind } from '#machines/kinds.ts';
import { object, strings, text } from '#machines/kubernetes/json.ts';
import type { Attributes, SpanEvent } from './span.ts';

interface Described {
  readonly name: string;
  readonly attributes: Attributes;
}

/** A span about the actor itself: what it does with its object. */
export function aboutActor(verb: string, key: ActorKey, more: Attributes): Described {
  const kind = apiKind(objectKind(key.kind));
  const attributes = { ...ofObject(kind, key.namespace, key.name), ...more };
  return { name: `${verb} ${kind}`, attributes };
}

/** A fact `observed` that begins a trace. */
export function aboutEdit({ about, data }: Fact): Described {
  const edit = object(data['edit']);
  const kind = apiName(text(data['kind']));
  const isOwn = data['kind'] === objectKind(about.kind) && data['name'] === about.name;
  const verb = data['summary'] !== 'seen' ? 'delete' : isOwn ? 'edit' : 'observe';
  const paths = strings(edit['paths']);
  return {
    name: `${verb} ${kind}`,
    attributes: {
      ...ofObject(kind, about.namespace, text(data['name'])),
      ...some('k8s.object.resource_version', data['version']),
      ...some('coppice.edit.manager', edit['manager']),
      ...some('coppice.edit.operation', edit['operation']),
      ...some('coppice.edit.subresource', edit['subresource']),
      ...(paths.length > 0 && { 'coppice.edit.paths': [...paths] }),
    },
  };
}

/** A fact `wrote`. `error`: why it failed. */
export function aboutWrite({ data }: Fact): Described & { readonly error: string | undefined } {
  const [of = '', namespace = '', name = ''] = text(data['object']).split('/');
  const kind = apiName(of);
  const operation = text(data['op']);
  const outcome = text(data['outcome']);
  const isOk = outcome === 'ok';
  return {
    name: `${operation} ${kind}`,
    attributes: {
      ...ofObject(kind, namespace, name),
      'coppice.write.operation': operation,
      'coppice.write.outcome': outcome,
      ...some('coppice.write.reason', data['reason']),
      ...some('coppice.reconcile.id', data['reconcileId']),
      ...(!isOk && { 'error.type': outcome }),
    },
    error: isOk ? undefined : text(data['message']) || outcome,
  };
}

/** Any other fact, by its own name and with its data. */
export function eventOf({ what, at, data }: Fact): SpanEvent {
  const attributes: Record<string, string | number> = {};
  for (const [name, value] of Object.entries(data)) {
    if (value === '' || value === null || value === undefined) continue;
    const isPlain = typeof value === 'string' || typeof value === 'number';
    attributes[`coppice.${what}.${name}`] = isPlain ? value : JSON.stringify(value);
  }
  return { name: what, at, attributes };
}

const ofObject = (kind: string, namespace: string, name: string): Attributes => ({
  ...(namespace !== '' && { 'k8s.namespace.name': namespace }),
  'k8s.object.kind': kind,
  'k8s.object.name': name,
  ...(kind === 'Pod' && { 'k8s.pod.name': name }),
});

const apiName = (kind: string): string => (isKind(kind) ? apiKind(kind) : kind);

const some = (name: string, value: unknown): Attributes =>
  typeof value === 'string' && value !== '' ? { [name]: value } : {};
