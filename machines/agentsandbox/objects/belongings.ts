// What belongs to a Sandbox, or may be taken over by one: its pod, its Service, its PVCs; and the
// NetworkPolicy of a template (spec agent-sandbox 2.1.3, 2.2).
import { at, isObject, list, object, strings, text, word } from '../../kubernetes/json.ts';
import { isMalformed, readMeta } from '../../kubernetes/meta.ts';
import type { Malformed, Meta } from '../../kubernetes/meta.ts';
import type { JsonObject, KubeObject } from '../../kubernetes/objects.ts';
import { readController, type Controller } from './owner.ts';

interface Controlled extends Meta {
  readonly controller: Controller | undefined;
  /** All of them: who takes it over leaves the others there. */
  readonly ownerReferences: readonly JsonObject[];
}

export interface ObservedPod extends Controlled {
  readonly kind: 'SandboxPod' | 'AdoptablePod';
  readonly phase: string;
  readonly nodeName: string;
  readonly podIPs: readonly string[];
  readonly isReady: boolean;
  /** As the pod has it; undefined: not reported yet. */
  readonly scheduled: JsonObject | undefined;
  /** What its node says where it could not start a container; undefined: nothing like that. */
  readonly startError: string | undefined;
}

export interface ObservedService extends Controlled {
  readonly kind: 'SandboxService' | 'AdoptableService';
  readonly clusterIP: string;
  readonly selector: JsonObject;
  readonly ports: readonly JsonObject[];
}

export interface ObservedVolume extends Controlled {
  readonly kind: 'SandboxVolume' | 'AdoptableVolume';
}

/** What a Sandbox has, or may take over. */
export type Belonging = ObservedPod | ObservedService | ObservedVolume;

export interface ObservedPolicy extends Controlled {
  readonly kind: 'TemplatePolicy';
  readonly spec: JsonObject;
}

export const readPod =
  <K extends ObservedPod['kind']>(kind: K) =>
  (source: KubeObject): (ObservedPod & { readonly kind: K }) | Malformed => {
    const meta = readMeta(source);
    if (isMalformed(meta)) return meta;
    const status = object(source['status']);
    const condition = (type: string): JsonObject | undefined =>
      list(status['conditions'])
        .filter(isObject)
        .find((one) => one['type'] === type);
    return {
      ...meta,
      kind,
      ...ownersOf(source),
      phase: text(status['phase']),
      nodeName: text(at(source, 'spec', 'nodeName')),
      podIPs: addresses(status),
      isReady: condition('Ready')?.['status'] === 'True',
      scheduled: condition('PodScheduled'),
      startError: startErrorOf(status),
    };
  };

/** Of a container that does not run for it. */
function startErrorOf(status: JsonObject): string | undefined {
  for (const container of list(status['containerStatuses'])) {
    if (at(container, 'state', 'running') !== undefined) continue;
    for (const state of ['state', 'lastState']) {
      if (at(container, state, 'terminated', 'reason') !== 'StartError') continue;
      return word(at(container, state, 'terminated', 'message')) ?? 'StartError';
    }
  }
  return undefined;
}

/** The list, or the one address where there is no list. */
function addresses(status: JsonObject): readonly string[] {
  const all = strings(list(status['podIPs']).map((one) => at(one, 'ip')));
  const first = word(status['podIP']);
  return all.length > 0 || first === undefined ? all : [first];
}

export const readService =
  <K extends ObservedService['kind']>(kind: K) =>
  (source: KubeObject): (ObservedService & { readonly kind: K }) | Malformed => {
    const meta = readMeta(source);
    if (isMalformed(meta)) return meta;
    const spec = object(source['spec']);
    return {
      ...meta,
      kind,
      ...ownersOf(source),
      clusterIP: text(spec['clusterIP']),
      selector: object(spec['selector']),
      ports: list(spec['ports']).filter(isObject),
    };
  };

export const readVolume =
  <K extends ObservedVolume['kind']>(kind: K) =>
  (source: KubeObject): (ObservedVolume & { readonly kind: K }) | Malformed => {
    const meta = readMeta(source);
    return isMalformed(meta) ? meta : { ...meta, kind, ...ownersOf(source) };
  };

export function readPolicy(source: KubeObject): ObservedPolicy | Malformed {
  const meta = readMeta(source);
  if (isMalformed(meta)) return meta;
  return { ...meta, kind: 'TemplatePolicy', ...ownersOf(source), spec: object(source['spec']) };
}

const ownersOf = (source: KubeObject): Pick<Controlled, 'controller' | 'ownerReferences'> => ({
  controller: readController(source),
  ownerReferences: list(at(source, 'metadata', 'ownerReferences')).filter(isObject),
});
