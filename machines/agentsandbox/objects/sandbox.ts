// A Sandbox as actors read it (spec agent-sandbox 1.1).
import { conditionsOf } from '../../kubernetes/conditions.ts';
import { at, isObject, list, object, strings, text, word } from '../../kubernetes/json.ts';
import { isMalformed, readMeta } from '../../kubernetes/meta.ts';
import type { Malformed, Meta } from '../../kubernetes/meta.ts';
import type { JsonObject, KubeObject } from '../../kubernetes/objects.ts';
import { epoch, type EpochMs } from '../../kubernetes/time.ts';
import { annotation, label } from './labels.ts';
import { readController, type Controller } from './owner.ts';

export interface ObservedSandbox extends Meta {
  readonly kind: 'Sandbox';
  readonly controller: Controller | undefined;
  /** The warm pool in whose tree it lives; undefined: it has a tree of its own. */
  readonly pool: string | undefined;
  readonly podTemplate: JsonObject;
  /** Immutable, as they stand: no write may alter them (R63). */
  readonly volumeClaimTemplates: readonly JsonObject[];
  /** Undefined: none is made, and one that is there is kept. */
  readonly service: boolean | undefined;
  readonly shutdownTime: EpochMs | undefined;
  readonly shutdownPolicy: 'Delete' | 'Retain';
  readonly operatingMode: 'Running' | 'Suspended';
  readonly status: JsonObject;
  readonly ready: JsonObject | undefined;
  readonly finished: JsonObject | undefined;
  readonly podIPs: readonly string[];
  /** Empty: not scheduled yet. */
  readonly nodeName: string;
}

export function readSandbox(source: KubeObject): ObservedSandbox | Malformed {
  const meta = readMeta(source);
  if (isMalformed(meta)) return meta;
  const spec = object(source['spec']);
  const podTemplate = spec['podTemplate'];
  if (!isObject(podTemplate) || !isObject(podTemplate['spec'])) {
    return { malformed: 'spec.podTemplate.spec is not an object' };
  }
  const controller = readController(source);
  const status = object(source['status']);
  const conditions = conditionsOf(status);
  const { service } = spec;
  return {
    ...meta,
    kind: 'Sandbox',
    controller,
    pool: poolOf(meta, controller),
    podTemplate,
    volumeClaimTemplates: list(spec['volumeClaimTemplates']).filter(isObject),
    service: typeof service === 'boolean' ? service : undefined,
    shutdownTime: epoch(spec['shutdownTime']),
    shutdownPolicy: spec['shutdownPolicy'] === 'Delete' ? 'Delete' : 'Retain',
    operatingMode: spec['operatingMode'] === 'Suspended' ? 'Suspended' : 'Running',
    status,
    ready: conditions.find(({ type }) => type === 'Ready'),
    finished: conditions.find(({ type }) => type === 'Finished'),
    podIPs: strings(status['podIPs']),
    nodeName: text(status['nodeName']),
  };
}

const poolOf = ({ annotations }: Meta, controller: Controller | undefined): string | undefined =>
  controller?.kind === 'SandboxWarmPool' ? controller.name : word(annotations[annotation.pool]);

/** What claims ask of a member besides its owner, which says whose member it is (R11, C7). Whether
 *  it is ready does not count (R9). */
export const hasPoolLabels = ({ labels }: Pick<ObservedSandbox, 'labels'>): boolean =>
  label.warmPool in labels && label.templateRefHash in labels;

export const expiredReason = 'SandboxExpired';

/** Everybody can see that its time is over. */
export const saysExpired = ({ ready }: Pick<ObservedSandbox, 'ready'>): boolean =>
  at(ready, 'reason') === expiredReason;

export const failingReason = 'ReconcilerError';

/** Its pod, a volume or its Service could not be made: a quota or a webhook may refuse it. */
export const isFailing = ({ ready }: Pick<ObservedSandbox, 'ready'>): boolean =>
  at(ready, 'reason') === failingReason;

/** True where it says so of itself. */
export const isReady = ({ ready }: Pick<ObservedSandbox, 'ready'>): boolean =>
  at(ready, 'status') === 'True';
