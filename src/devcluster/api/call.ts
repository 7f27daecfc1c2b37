// One request on its way through the server: what it asks for and the parts of the server that the
// verbs need. Built by server.ts, handed to every verb.
import type { TokenIssuer } from '#src/devcluster/auth/tokens.ts';
import type { User } from '#src/devcluster/auth/user.ts';
import type { ClusterEnvironment, ResourceInfo } from '#src/devcluster/contract.ts';
import type { Admission } from './admission.ts';
import type { Convert } from './conversion.ts';
import { badOption } from './errors.ts';
import { storageKey } from './resources/registry.ts';
import type { Registry } from './resources/registry.ts';
import type { Collection } from './store/collection.ts';
import type { Store } from './store/store.ts';
import type { ApiRequest, Target } from './wire/request.ts';

/** What all verbs share. */
export interface Core {
  readonly store: Store;
  readonly registry: Registry;
  readonly environment: ClusterEnvironment;
  readonly tokens: TokenIssuer;
  /** Replaced once the cluster has its webhooks. */
  admission: Admission;
  readonly convert: Convert;
  /** Watches that are open, so that the end of the server is theirs too. */
  readonly watches: Set<OpenWatch>;
}

/** A watch that is under way. */
export interface OpenWatch {
  readonly resource: ResourceInfo;
  readonly close: () => void;
}

export interface Call {
  readonly core: Core;
  readonly request: ApiRequest;
  readonly target: Target;
  readonly query: URLSearchParams;
  readonly resource: ResourceInfo;
  readonly user: User;
  readonly dryRun: boolean;
  /** Collected on the way, sent as Warning headers. */
  readonly warnings: string[];
  /** How many versions behind a list or get answers; set by a fault, otherwise 0. */
  readonly behind: number;
}

export const collectionOf = (call: Call): Collection =>
  call.core.store.collection(storageKey(call.resource));

/** None where there is nothing to be warned of. */
export const warningHeader = ({ warnings }: Call): { warning?: string } =>
  warnings.length === 0
    ? {}
    : { warning: warnings.map((each) => `299 - ${JSON.stringify(each)}`).join(', ') };

/** Refuses anything but `All`, in the query or in the options of a delete. */
export function readDryRun(asked: readonly string[], kind: string): boolean {
  if (asked.some((value) => value !== 'All')) {
    throw badOption(kind, {
      type: 'FieldValueNotSupported',
      field: 'dryRun',
      value: [...asked],
      detail: 'supported values: "All"',
    });
  }
  return asked.length > 0;
}

/** Who the change is recorded for in managedFields: the parameter, else the program's name. */
export function fieldManagerOf(call: Call): string {
  const asked = call.query.get('fieldManager');
  if (asked !== null && asked !== '') return asked;
  const agent = call.request.headers['user-agent'] ?? '';
  return agent.split('/')[0]?.slice(0, 128) || 'unknown';
}
