// What the controller must never ask of the API server: a write without its preconditions, what the
// chart does not grant, or again and again what was refused. Judged at its requests.
import type { Stored } from '#src/devcluster/contract.ts';
import type { KubeRequest } from '#src/kube/transport/transport.ts';
import { at, labelsOf, listAt, textAt, uidOf } from '../fields.ts';
import { notGranted } from '../oracles/granted.ts';
import { type Place, placeOf } from '../oracles/place.ts';
import { annotationOf, assignment, controllerOf, label } from './objects.ts';
import type { Watched } from './judged.ts';

type GuardOptions = Pick<Watched, 'store' | 'tally' | 'violate'>;

/** A version that was refused is refused for ever. */
const mostRefusals = 6;

export class Guards {
  readonly #options: GuardOptions;
  /** By object and version that the request names. */
  readonly #refused = new Map<string, number>();

  constructor(options: GuardOptions) {
    this.#options = options;
  }

  /** A request arrives at the server. */
  judge(request: KubeRequest): void {
    const { method, path, body } = request;
    const { violate, tally } = this.#options;
    const refusal = notGranted(request);
    if (refusal !== undefined) violate(refusal);
    if (method === 'GET' || method === 'POST' || /\/(events|leases)\b/.test(path)) return;
    const place = placeOf(path);
    const given = method === 'DELETE' ? at(body, 'preconditions') : at(body, 'metadata');
    tally.judged('preconditions');
    if (textAt(given, 'uid') === '') violate(`${method} ${path} names no UID`);
    const version = textAt(given, 'resourceVersion');
    const live = this.#live(place);
    const why = whyVersion(place, request, live);
    if (why !== undefined && version === '') violate(`${method} ${path} ${why} without a version`);
    if (live !== undefined && uidOf(live) === textAt(given, 'uid')) {
      this.#judgeVersion(`${method} ${path}`, version, textAt(live, 'metadata', 'resourceVersion'));
    }
  }

  #judgeVersion(what: string, version: string, live: string): void {
    if (version === '' || version === live) return;
    const key = `${what} ${version}`;
    const times = (this.#refused.get(key) ?? 0) + 1;
    this.#refused.set(key, times);
    if (times === mostRefusals) this.#options.violate(`${what} asks ${times} times for ${version}`);
  }

  #live({ collection, namespace, name }: Place) {
    return this.#options.store.collection(collection).get(namespace, name);
  }
}

/** Why nothing may have changed since it was decided; undefined: it may. */
function whyVersion(
  { plural }: Place,
  { method, body }: KubeRequest,
  live: Stored | undefined,
): string | undefined {
  if (live === undefined) return undefined;
  if (plural === 'sandboxes' && method === 'DELETE') {
    const owner = controllerOf(live);
    const isOrphan = owner === undefined && labelsOf(live)[label.pool] !== undefined;
    return isOrphan || owner?.kind === 'SandboxWarmPool' ? 'deletes a member' : undefined;
  }
  if (plural === 'sandboxes' && listAt(body, 'metadata', 'ownerReferences').length > 0) {
    return 'takes over';
  }
  return plural === 'sandboxclaims' && annotationOf(body, assignment) !== ''
    ? 'assigns'
    : undefined;
}
