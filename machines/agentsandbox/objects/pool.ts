// A SandboxWarmPool as actors read it (spec agent-sandbox 1.4).
import { at, count, object, word } from '../../kubernetes/json.ts';
import { isMalformed, readMeta } from '../../kubernetes/meta.ts';
import type { Malformed, Meta } from '../../kubernetes/meta.ts';
import type { JsonObject, KubeObject } from '../../kubernetes/objects.ts';

export interface ObservedPool extends Meta {
  readonly kind: 'SandboxWarmPool';
  readonly replicas: number;
  /** Name of the template, in its namespace. */
  readonly template: string;
  /** What is unknown counts as OnReplenish. */
  readonly strategy: 'Recreate' | 'OnReplenish';
  readonly status: JsonObject;
}

export function readPool(source: KubeObject): ObservedPool | Malformed {
  const meta = readMeta(source);
  if (isMalformed(meta)) return meta;
  const spec = object(source['spec']);
  const template = word(at(spec, 'sandboxTemplateRef', 'name'));
  if (template === undefined) return { malformed: 'spec.sandboxTemplateRef.name is not a name' };
  return {
    ...meta,
    kind: 'SandboxWarmPool',
    replicas: count(spec['replicas']) ?? 1,
    template,
    strategy: at(spec, 'updateStrategy', 'type') === 'Recreate' ? 'Recreate' : 'OnReplenish',
    status: object(source['status']),
  };
}
