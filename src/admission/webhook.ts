// A webhook as modules bring it (src/modules/edge.ts): how it is registered, and what it answers.
// Server, certificates and registration know no more of it.
import type { Convert } from './conversion.ts';
import type { AdmissionRequest, Answer } from './review.ts';

/** What is sent to it. No subresource is named, so status and scale are never asked about. */
export type WebhookRule = {
  apiGroups: string[];
  apiVersions: string[];
  resources: string[];
  operations: string[];
  scope: 'Namespaced' | 'Cluster';
};

/** How the API server learns of a webhook. */
export interface RegisteredWebhook {
  /** Of the configuration object that registers it. */
  readonly configuration: string;
  readonly name: string;
  readonly path: string;
  readonly mutating: boolean;
  /** RegisteredWebhook only with `authorizer.enabled`: it keeps out whom nobody trusts. */
  readonly optional: boolean;
  /** Of the configuration object. */
  readonly labels: Readonly<Record<string, string>>;
  readonly rules: readonly WebhookRule[];
  /** Labels of the objects that it is asked about; absent: all. */
  readonly about?: Readonly<Record<string, string>>;
}

export interface Webhook extends RegisteredWebhook {
  /** `trusted`: user names that may change what is managed, the controller's own among them. */
  readonly answer: (
    request: AdmissionRequest,
    trusted: readonly string[],
  ) => Promise<Answer> | Answer;
}

/** One that converts custom resources between versions. Their CRDs register it. */
export interface RegisteredConversion {
  readonly path: string;
  /** Names of the CRDs. */
  readonly definitions: readonly string[];
}

export interface ConversionWebhook extends RegisteredConversion {
  readonly convert: Convert;
}

/** What modules bring, of either sort. */
export type AnyWebhook = Webhook | ConversionWebhook;
export type Registered = RegisteredWebhook | RegisteredConversion;
