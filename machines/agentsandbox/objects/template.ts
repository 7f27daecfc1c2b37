// A SandboxTemplate as actors read it (spec agent-sandbox 1.2).
import { isObject, list, object } from '../../kubernetes/json.ts';
import { isMalformed, readMeta } from '../../kubernetes/meta.ts';
import type { Malformed, Meta } from '../../kubernetes/meta.ts';
import type { JsonObject, KubeObject } from '../../kubernetes/objects.ts';

export const injectionPolicies = ['Allowed', 'Overrides', 'Disallowed'] as const;
export type InjectionPolicy = (typeof injectionPolicies)[number];

export interface ObservedTemplate extends Meta {
  readonly kind: 'SandboxTemplate';
  /** What is copied into each Sandbox: `podTemplate`, `volumeClaimTemplates` and `service`, as the
   *  template has them. */
  readonly podTemplate: JsonObject;
  readonly volumeClaimTemplates: readonly JsonObject[];
  readonly service: boolean | undefined;
  /** Undefined: the default rules. */
  readonly networkPolicy: JsonObject | undefined;
  readonly isPolicyManaged: boolean;
  readonly envPolicy: InjectionPolicy;
  readonly volumeClaimPolicy: InjectionPolicy;
}

export function readTemplate(source: KubeObject): ObservedTemplate | Malformed {
  const meta = readMeta(source);
  if (isMalformed(meta)) return meta;
  const spec = object(source['spec']);
  const { podTemplate, service, networkPolicy } = spec;
  if (!isObject(podTemplate) || !isObject(podTemplate['spec'])) {
    return { malformed: 'spec.podTemplate.spec is not an object' };
  }
  return {
    ...meta,
    kind: 'SandboxTemplate',
    podTemplate,
    volumeClaimTemplates: list(spec['volumeClaimTemplates']).filter(isObject),
    service: typeof service === 'boolean' ? service : undefined,
    networkPolicy: isObject(networkPolicy) ? networkPolicy : undefined,
    isPolicyManaged: spec['networkPolicyManagement'] !== 'Unmanaged',
    envPolicy: policyOf(spec['envVarsInjectionPolicy']),
    volumeClaimPolicy: policyOf(spec['volumeClaimTemplatesPolicy']),
  };
}

const policyOf = (value: unknown): InjectionPolicy =>
  injectionPolicies.find((policy) => policy === value) ?? 'Disallowed';
