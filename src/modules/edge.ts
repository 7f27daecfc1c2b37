// What an API group brings to the edge of the process, beside its machines: settings, what it needs
// of the cluster, admission webhooks, something to look at. The composition root, admission and
// `coppice dev` go through those that are served (index.ts) and know none by name.
import type { Clock, Observation } from '#actors/ports.ts';
import type { ObjectRef } from '#machines/contract/address.ts';
import type { Module } from '#machines/contract/module.ts';
import type { Kind } from '#machines/kinds.ts';
import type { AnyWebhook } from '#src/admission/webhook.ts';
import type { Configuration } from '#src/config/schema.ts';
import type { ClusterPlugin } from '#src/devcluster/cluster.ts';
import type { KubeClient } from '#src/kube/client.ts';
import type { KubeTransport } from '#src/kube/transport/transport.ts';
import type { Log } from '#src/log/log.ts';

export interface ModuleEdge {
  /** As the configuration names it. */
  readonly name: keyof Configuration['modules'];
  /** The module with its settings. */
  readonly module: (configuration: Configuration, version: string) => Module;
  /** Looks whether the cluster has what the configuration asks for, before anything is started.
   *  Resolves with the kinds that are watched; rejects where something is missing. */
  readonly preflight: (options: PreflightOptions) => Promise<readonly Kind[]>;
  /** True where an object of a kind that is not watched may be read; absent: none may. */
  readonly mayRead?: (configuration: Configuration, ref: ObjectRef) => boolean;
  /** Loaded only where admission is enabled; absent or undefined: it has none. */
  readonly webhooks?: (configuration: Configuration) => Promise<WebhooksOf> | undefined;
  /** What the embedded cluster does for its objects, loaded where one is started; absent:
   *  nothing. */
  readonly plugin?: () => Promise<ClusterPlugin>;
  /** Loaded by `coppice dev` alone; absent: there is nothing to look at. */
  readonly dev?: { readonly title: string; readonly load: () => Promise<DevShow> };
}

export interface PreflightOptions {
  readonly configuration: Configuration;
  readonly transport: KubeTransport;
  readonly kube: Pick<KubeClient, 'discover'>;
  readonly clock: Clock;
  readonly log: Pick<Log, 'line'>;
}

export type WebhooksOf = (options: WebhookOptions) => readonly AnyWebhook[];

export interface WebhookOptions {
  readonly configuration: Configuration;
  /** For what a webhook looks up. */
  readonly transport: KubeTransport;
  readonly clock: Clock;
}

/** What `coppice dev` applies and shows. */
export interface DevShow {
  /** Path of what is applied where nothing else is given. */
  readonly sample: string;
  readonly kinds: readonly Kind[];
  /** True for the kinds of manifests whose readiness is waited for. */
  readonly isAwaited: (kind: string) => boolean;
  readonly open: () => DevScene;
  /** How to go on, as commands that can be pasted; `key` is of one that was applied, if any was. */
  readonly nextSteps: (places: Places, key: string | undefined) => readonly string[];
}

export interface DevScene {
  observe(observation: Observation): void;
  /** Resolves with true unless it was to wait for readiness and that did not come. */
  show(options: ShowOptions): Promise<boolean>;
}

export interface Places {
  readonly kubeconfig: string;
  readonly api: string;
  readonly nats: string | undefined;
  readonly http: string;
  /** The link that opens it. */
  readonly inspector: string;
}

export interface ShowOptions {
  /** Those whose readiness counts, as `namespace/name`. */
  readonly wanted: readonly string[];
  readonly stopped: Promise<unknown>;
  readonly steps: readonly string[];
  /** True: return as soon as all are ready, or after the limit. */
  readonly untilReady: boolean;
  readonly timeoutMs: number;
}
