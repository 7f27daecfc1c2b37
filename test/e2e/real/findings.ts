// Collects what is not as wanted, in sentences; the two complaint files fill it.
import { isDeepStrictEqual } from 'node:util';
import type { KubeObject } from './kube.ts';

export type Fields = Readonly<Record<string, unknown>>;

/** An object's fields; none for anything else. */
export const fields = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};

export const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

export const names = (objects: readonly KubeObject[]): readonly string[] =>
  objects.map(({ metadata }) => metadata.name).toSorted();

export interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
}

export const conditionsOf = (object: KubeObject): readonly Condition[] =>
  list(fields(object['status'])['conditions']) as readonly Condition[];

export class Findings {
  readonly #found: string[] = [];

  get all(): readonly string[] {
    return this.#found;
  }

  equal(what: string, seen: unknown, wanted: unknown): void {
    if (isDeepStrictEqual(seen, wanted)) return;
    this.#found.push(`${what}: ${JSON.stringify(seen)}, wanted ${JSON.stringify(wanted)}`);
  }

  matches(what: string, seen: unknown, pattern: RegExp): void {
    if (typeof seen === 'string' && pattern.test(seen)) return;
    this.#found.push(`${what}: ${JSON.stringify(seen)}, wanted ${pattern}`);
  }

  /** Controlled by exactly that object, which cannot go before it in the foreground. */
  owned(object: KubeObject, owner: KubeObject, kind: string): void {
    const { name, uid } = owner.metadata;
    this.equal(`owner of ${object.metadata.name}`, object.metadata.ownerReferences, [
      {
        apiVersion: 'grove.io/v1alpha1',
        kind,
        name,
        uid,
        controller: true,
        blockOwnerDeletion: true,
      },
    ]);
  }

  condition(object: KubeObject, type: string, status: string, reason: string): void {
    const found = conditionsOf(object).find((condition) => condition.type === type);
    this.equal(
      `${type} of ${object.metadata.name}`,
      [found?.status, found?.reason],
      [status, reason],
    );
  }
}
