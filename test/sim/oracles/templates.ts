// Whether a hash tells the truth of a template: a PodClique of a set has another one exactly where
// its template says something else, and a pod that carries it is made by that. So whoever replaces
// pods and members by their hashes touches only what an edit was about. Judged at the store, by
// what users edit and by nothing that the code under test says.
import type { Change } from '#src/devcluster/api/store/collection.ts';
import type { Store } from '#src/devcluster/api/store/store.ts';
import type { Stored } from '#src/devcluster/contract.ts';
import { at, fieldsAt, labelsOf, listAt, templateHashOf, textAt, uidOf } from '../fields.ts';
import { namespace } from '../users/workload.ts';
import { nameOf } from './complaints.ts';
import { isGoing } from './shown.ts';
import type { Tally } from './tally.ts';

/** Before what a user asks for, in each container. */
const ownVariable = /^GROVE_/;

interface Parts {
  readonly store: Store;
  readonly tally: Tally;
  readonly violate: (what: string) => void;
}

export function watchTemplates(parts: Parts): void {
  const watcher = new Watcher(parts);
  parts.store.collection('grove.io/podcliques').onChange((change) => watcher.takeClique(change));
  parts.store.collection('/pods').onChange((change) => watcher.takePod(change));
}

class Watcher {
  readonly #parts: Parts;
  /** By set, PodClique and hash, and the other way round. */
  readonly #contents = new Map<string, string>();
  readonly #hashes = new Map<string, string>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  takeClique({ type, object }: Change): void {
    const key = this.#keyOf(object, nameOf(object));
    if (type === 'DELETED' || isGoing(object) || key === undefined) return;
    const hash = templateHashOf(object) ?? '';
    const content = contentOf(labelsOf(object), object);
    const [before, other] = [
      this.#contents.get(`${key} ${hash}`),
      this.#hashes.get(`${key} ${content}`),
    ];
    this.#contents.set(`${key} ${hash}`, content);
    this.#hashes.set(`${key} ${content}`, hash);
    if (before === undefined && other === undefined) return;
    this.#parts.tally.judged('hash of a template');
    if (before === content && other === hash) return;
    this.#parts.violate(
      `the hash of ${nameOf(object)} is ${hash} with ${content}, and was ${other ?? hash} ` +
        `with ${before ?? content}`,
    );
  }

  takePod({ type, object }: Change): void {
    const key = this.#keyOf(object, labelsOf(object)['grove.io/podclique'] ?? '');
    if (type !== 'ADDED' || key === undefined) return;
    const hash = templateHashOf(object) ?? '';
    const wanted = this.#contents.get(`${key} ${hash}`);
    if (wanted === undefined) return;
    this.#parts.tally.judged('pod of a template');
    const content = contentOf(labelsOf(object), { spec: { podSpec: at(object, 'spec') } });
    if (content === wanted) return;
    this.#parts.violate(`pod ${nameOf(object)} with hash ${hash} is ${content}, not ${wanted}`);
  }

  /** Of what belongs to the set that is there. */
  #keyOf(object: Stored, clique: string): string | undefined {
    const name = labelsOf(object)['app.kubernetes.io/part-of'] ?? '';
    const set = this.#parts.store.collection('grove.io/podcliquesets').get(namespace, name);
    return set === undefined || isGoing(set) ? undefined : `${uidOf(set)} ${clique}`;
  }
}

/** What users edit of a template. `clique`: a PodClique, or one in the template of a set. */
export function contentOf(labels: unknown, clique: unknown): string {
  const containers = listAt(clique, 'spec', 'podSpec', 'containers').map((one) => [
    textAt(one, 'image'),
    ...listAt(one, 'env').filter((row) => !ownVariable.test(textAt(row, 'name'))),
  ]);
  return JSON.stringify([fieldsAt(labels)[version], containers]);
}

const version = 'example.org/version';
