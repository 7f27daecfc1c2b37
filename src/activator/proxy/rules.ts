// What the object of a revision says of its requests: how long they may take, and whose they are.
// Knative's Revision, or a row of our own configuration in its shape (spec activator 1.4, 1.8).
// Whoever hears of revisions keeps one RevisionRules up to date; the request path asks it.
import { at, count, word } from '#machines/kubernetes/json.ts';
import { isMalformed, readMeta } from '#machines/kubernetes/meta.ts';
import type { KubeObject } from '#machines/kubernetes/objects.ts';

export interface RequestRules {
  /** From the first byte of the head to the last of the answer, in milliseconds. */
  readonly maxMs: number;
  /** Until the answer begins; 0: as long as the request may take. */
  readonly startMs: number;
  /** Without a byte of the answer, also before the first one; 0: any time. */
  readonly idleMs: number;
  /** A client goes on sending after its answer has begun, and its connection is kept. */
  readonly isFullDuplex: boolean;
  /** For metrics and the request log; empty: it has none. */
  readonly service: string;
  readonly configuration: string;
}

/** Undefined: nothing is known of the revision, so `defaultRules` hold. */
export type FindRules = (namespace: string, name: string) => RequestRules | undefined;

const defaultMaxSeconds = 300;

export const defaultRules: RequestRules = {
  maxMs: defaultMaxSeconds * 1_000,
  startMs: 0,
  idleMs: 0,
  isFullDuplex: false,
  service: '',
  configuration: '',
};

const fullDuplex = 'features.knative.dev/http-full-duplex';

/** Of fields that cannot be read the default holds: the actor of the revision reports them. */
export function readRules(source: KubeObject): RequestRules {
  const meta = readMeta(source);
  if (isMalformed(meta)) return defaultRules;
  const { annotations, labels } = meta;
  const spec = source['spec'];
  const ms = (field: string, otherwise: number): number =>
    (count(at(spec, field)) ?? otherwise) * 1_000;
  return {
    // A revision without a limit has Knative's default, as Knative writes it.
    maxMs: ms('timeoutSeconds', defaultMaxSeconds) || defaultRules.maxMs,
    startMs: ms('responseStartTimeoutSeconds', 0),
    idleMs: ms('idleTimeoutSeconds', 0),
    isFullDuplex: annotations[fullDuplex]?.toLowerCase() === 'enabled',
    service: word(labels['serving.knative.dev/service']) ?? '',
    configuration: word(labels['serving.knative.dev/configuration']) ?? '',
  };
}

export class RevisionRules {
  readonly #rules = new Map<string, RequestRules>();
  #changed: (namespace: string, name: string) => void = () => {};

  readonly find: FindRules = (namespace, name) => this.#rules.get(`${namespace}/${name}`);

  /** Calls back when a revision has rules. One listener. */
  onChange(changed: (namespace: string, name: string) => void): void {
    this.#changed = changed;
  }

  seen(revision: KubeObject): void {
    const { namespace, name } = revision.metadata;
    this.#rules.set(`${namespace}/${name}`, readRules(revision));
    this.#changed(namespace ?? '', name);
  }

  gone(namespace: string, name: string): void {
    this.#rules.delete(`${namespace}/${name}`);
  }
}
