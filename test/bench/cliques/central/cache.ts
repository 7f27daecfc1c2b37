// What the centre knows: daemon pods, cliques and domains of one namespace, each listed and
// watched once, newest versions only, its own answers included.
import { at } from '#machines/kubernetes/json.ts';
import {
  cliqueLabel,
  cliquesIn,
  domainLabel,
  domainsIn,
  isNewer,
  labelOf,
  nameOf,
  podsIn,
  uidOf,
} from '../clique.ts';
import { follow, type Followed } from '../follow.ts';
import type { Wire } from '../wire.ts';

export class Objects {
  readonly #byName = new Map<string, unknown>();

  get all(): readonly unknown[] {
    return [...this.#byName.values()];
  }

  get(name: string): unknown {
    return this.#byName.get(name);
  }

  /** Older versions change nothing. */
  take(body: unknown): void {
    const name = nameOf(body);
    const known = this.#byName.get(name);
    if (known === undefined || uidOf(known) !== uidOf(body) || isNewer(body, known)) {
      this.#byName.set(name, body);
    }
  }

  remove(name: string): void {
    this.#byName.delete(name);
  }
}

export class Cache {
  readonly pods = new Objects();
  readonly cliques = new Objects();
  readonly domains = new Objects();
  readonly #followed: Followed[] = [];

  /** `changed`: after each event of a pod or a clique. */
  async open(wire: Wire, namespace: string, changed: (body: unknown) => void): Promise<void> {
    const open = (
      objects: Objects,
      path: string,
      query: Readonly<Record<string, string>>,
    ): void => {
      this.#followed.push(
        follow(wire, path, query, (type, body) => {
          if (type === 'DELETED') objects.remove(nameOf(body));
          else objects.take(body);
          changed(body);
        }),
      );
    };
    open(this.pods, podsIn(namespace), { labelSelector: domainLabel });
    open(this.cliques, cliquesIn(namespace), {});
    open(this.domains, domainsIn(namespace), {});
    await Promise.all(this.#followed.map(({ listed }) => listed));
  }

  close(): void {
    for (const one of this.#followed) one.close();
  }
}

export const nodeOf = (pod: unknown): string => String(at(pod, 'spec', 'nodeName') ?? '');

export const addressOf = (pod: unknown): string => String(at(pod, 'status', 'podIP') ?? '');

export const domainOf = (body: unknown): string => labelOf(body, domainLabel);

/** Empty: it has not announced itself yet. */
export const cliqueOf = (pod: unknown): string => labelOf(pod, cliqueLabel);
