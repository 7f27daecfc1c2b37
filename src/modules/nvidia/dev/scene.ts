// What `coppice dev` shows of ComputeDomains, as data: each with the nodes that have joined and the
// rows of its cliques, kept up to date from observations of the cluster. Pure bookkeeping; view.ts
// turns it into lines.
import type { Observation } from '#actors/ports.ts';
import { isMalformed } from '#machines/kubernetes/meta.ts';
import { type ObservedClique, readClique } from '#machines/nvidia/objects/clique.ts';
import { type ObservedDomain, readDomain } from '#machines/nvidia/objects/domain.ts';
import type { DevScene } from '#src/modules/edge.ts';
import { type DomainLine, lineOf, paint } from './view.ts';

export class Scene implements DevScene {
  readonly #known = new Map<string, ObservedDomain | ObservedClique>();

  observe(observation: Observation): void {
    if (observation.type === 'gone') {
      const { kind, namespace, name } = observation.ref;
      this.#known.delete(`${kind} ${namespace}/${name}`);
      return;
    }
    const read = readers[observation.kind]?.(observation.object);
    if (read === undefined || isMalformed(read)) return;
    this.#known.set(`${read.kind} ${read.namespace}/${read.name}`, read);
  }

  lines(): readonly DomainLine[] {
    const all = [...this.#known.values()];
    const cliques = all.filter((one) => one.kind === 'ComputeDomainClique');
    const ofDomain = Map.groupBy(cliques, ({ domain }) => domain);
    return all
      .filter((one) => one.kind === 'ComputeDomain')
      .map((domain) => lineOf(domain, ofDomain.get(domain.uid) ?? []))
      .toSorted((a, b) => a.key.localeCompare(b.key, 'en', { numeric: true }));
  }

  paint(): readonly string[] {
    return paint(this.lines());
  }
}

const readers: Readonly<Record<string, typeof readDomain | typeof readClique>> = {
  ComputeDomain: readDomain,
  ComputeDomainClique: readClique,
};
