// Which lists of daemon pods each process has had an answer to, and of which version: a row may go
// after such a list alone. Part of oracle.ts.
import type { KubeRequest, KubeResponse } from '#src/kube/transport/transport.ts';
import { textAt } from '../fields.ts';
import { placeOf } from '../oracles/place.ts';
import { driver, domainLabel } from './objects.ts';

export class Listings {
  /** Versions by process and domain. */
  readonly #all = new Map<string, number[]>();

  /** An answer reaches the process. */
  take(life: number, { method, path }: KubeRequest, response: KubeResponse | undefined): void {
    const { plural, namespace, name } = placeOf(path);
    if (method !== 'GET' || plural !== 'pods' || namespace !== driver || name !== '') return;
    // The first pages alone show nothing; all are of one version.
    const isWhole = textAt(response?.body, 'metadata', 'continue') === '';
    if (response?.status !== 200 || !isWhole) return;
    const selector = new URLSearchParams(path.split('?', 2)[1]).get('labelSelector') ?? '';
    const domain = new RegExp(`${domainLabel}=([^,]+)`).exec(selector)?.[1];
    if (domain === undefined) return;
    const version = Number(textAt(response.body, 'metadata', 'resourceVersion'));
    this.#all.set(`${life} ${domain}`, [...this.of(life, domain), version]);
  }

  of(life: number, domain: string): readonly number[] {
    return this.#all.get(`${life} ${domain}`) ?? [];
  }
}
