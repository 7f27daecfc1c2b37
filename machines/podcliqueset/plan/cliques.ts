// Phase of a replica: its standalone PodCliques. `replicas` is set at creation only, so what a user
// or an autoscaler sets survives (spec controllers 1.1.5, 10.2 gap 14).
import { object } from '../../json.ts';
import { isWithin, patchInto, patchToward } from '../../merge.ts';
import type { JsonObject } from '../../objects.ts';
import type { CliqueFact } from '../../podclique/facts.ts';
import type { Intent } from '../../vocabulary.ts';
import { buildClique, cliqueAnnotations, cliqueLabels, cliqueSpec } from '../children.ts';
import { living } from '../context.ts';
import type { Replica } from '../context.ts';
import type { CliqueTemplate, SetFact } from '../facts.ts';
import { cliqueName } from '../names.ts';

export interface CliqueOptions {
  /** False while a conflict on the token Secret blocks new PodCliques. */
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
  const name = cliqueName(set.name, index, template.name);
  const ref = { kind: 'PodClique', namespace: set.namespace, name } as const;
  const there = replica.cliques.get(template.name);
  if (there === undefined) {
    if (!mayCreate) return [];
    const body = buildClique(set, index, template);
    return [{ type: 'createObject', ref, reason: `clique of replica ${index}`, body }];
  }
  const clique = living(there, set);
  const patch = clique === undefined ? undefined : patchOf(set, index, template, clique);
  if (clique === undefined || patch === undefined) return [];
  return [{ type: 'patchObject', ref, reason: 'differs from the spec', patch, uid: clique.uid }];
}

/**
 * With the same template hash only what is missing or changed is put right; what others or the API
 * server added stays. With another hash labels, annotations and pod spec are replaced, so that what
 * left the template leaves the PodClique.
 */
function patchOf(
  set: SetFact,
  index: number,
  template: CliqueTemplate,
  clique: CliqueFact,
): JsonObject | undefined {
  const labels = cliqueLabels(set, index, template);
  const annotations = cliqueAnnotations(set, template);
  const spec = cliqueSpec(set, index, template);
  const isCurrent = clique.templateHash === template.hash;
  const isRight =
    isCurrent &&
    isWithin(labels, clique.labels) &&
    isWithin(annotations, clique.annotations) &&
    isWithin(spec, clique.spec);
  if (isRight) return undefined;
  const toward = isCurrent ? patchToward : patchInto;
  const { podSpec } = clique.spec;
  return {
    metadata: {
      labels: toward(clique.labels, labels),
      annotations: toward(clique.annotations, annotations),
    },
    spec: {
      ...patchToward(clique.spec, spec),
      ...(isCurrent ? {} : { podSpec: patchInto(podSpec, object(spec['podSpec'])) }),
    },
  };
}
