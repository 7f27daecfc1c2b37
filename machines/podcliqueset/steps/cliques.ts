// Of a replica: its standalone PodCliques. `replicas` is set at creation only, so what a user
// or an autoscaler sets survives (spec controllers 1.1.5, 10.2 gap 14).
import { buildClique, linkedSpec, patchOfClique } from '../../grove/clique.ts';
import type { CliqueWish } from '../../grove/clique.ts';
import { withLists } from '../../grove/mirror.ts';
import { annotation, childLabels, component, label } from '../../grove/labels.ts';
import { baseGangName } from '../../podgang/names.ts';
import type { Intent } from '../../vocabulary.ts';
import { living } from '../context.ts';
import type { Replica } from '../context.ts';
import type { SetFact } from '../facts.ts';
import { cliqueName, domainOf } from '../names.ts';
import { parentsOfStandalone } from '../order.ts';
import type { CliqueTemplate } from '../template.ts';

export interface CliqueOptions {
  /** False while no PodClique or group may be made: their pods would mount a token Secret that may
   *  be somebody else's, or claims that all share are missing. */
  readonly mayCreate: boolean;
}

export const planCliques = (
  set: SetFact,
  index: number,
  replica: Replica,
  options: CliqueOptions,
): readonly Intent[] =>
  set.cliques.flatMap((template) => planClique(set, index, template, replica, options));

function planClique(
  set: SetFact,
  index: number,
  template: CliqueTemplate,
  replica: Replica,
  { mayCreate }: CliqueOptions,
): readonly Intent[] {
  const wish = wishOf(set, index, template);
  const ref = { kind: 'PodClique', namespace: set.namespace, name: wish.name } as const;
  const there = replica.cliques.get(template.name);
  if (there === undefined) {
    if (!mayCreate) return [];
    const body = buildClique(wish);
    return [{ type: 'createObject', ref, reason: `clique of replica ${index}`, body }];
  }
  const clique = living(there, set);
  const patch = clique === undefined ? undefined : patchOfClique(wish, clique);
  if (clique === undefined || patch === undefined) return [];
  return [{ type: 'patchObject', ref, reason: 'differs from the spec', patch, uid: clique.uid }];
}

function wishOf(set: SetFact, index: number, template: CliqueTemplate): CliqueWish {
  const name = cliqueName(set.name, index, template.name);
  const startsAfter = parentsOfStandalone(set, index, template);
  const labels = {
    ...template.labels,
    ...childLabels(set.name, name, component.clique),
    [label.replicaIndex]: String(index),
    [label.podGang]: baseGangName(set.name, index),
    [label.templateHash]: template.hash,
  };
  const annotations = { ...template.annotations, [annotation.generationHash]: set.generationHash };
  return {
    owner: set,
    name,
    marks: withLists({ labels, annotations }, template),
    spec: linkedSpec(template.spec, { startsAfter, domain: domainOf(set.name, index, template) }),
    replicas: template.replicas,
    templateHash: template.hash,
  };
}
