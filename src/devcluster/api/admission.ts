// The seam between the write path and the admission webhooks. The write path asks `wants` first, so
// a cluster without webhooks never leaves the synchronous path.
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import type { User } from '#src/devcluster/auth/user.ts';
import type { ResourceInfo, Stored } from '#src/devcluster/contract.ts';

export interface AdmissionAttempt {
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE';
  readonly resource: ResourceInfo;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  /** Absent for DELETE. */
  readonly object?: Stored;
  /** Absent for CREATE. */
  readonly oldObject?: Stored;
  readonly user: User;
  readonly dryRun: boolean;
  /** The request's CreateOptions, UpdateOptions, PatchOptions or DeleteOptions. */
  readonly options: JsonObject;
}

export interface Admission {
  /** True when a webhook must be asked about this. */
  wants(attempt: AdmissionAttempt): boolean;
  /** The object as the mutating webhooks leave it. Throws ApiError for a refusal. */
  mutate(attempt: AdmissionAttempt, warn: (warning: string) => void): Promise<Stored>;
  /** Throws ApiError for a refusal. */
  validate(attempt: AdmissionAttempt, warn: (warning: string) => void): Promise<void>;
}

/** What a cluster without webhooks uses. */
export const noAdmission: Admission = {
  wants: () => false,
  mutate: (attempt) =>
    attempt.object === undefined
      ? Promise.reject(new Error('a DELETE has no object to mutate'))
      : Promise.resolve(attempt.object),
  validate: () => Promise.resolve(),
};
