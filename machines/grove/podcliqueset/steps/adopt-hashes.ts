// A set that another controller has looked after: its hashes are adopted before anything is
// planned, so that what was current under them is current under ours (spec controllers 5.1).
import { patchOf } from '../../../contract/object-intents.ts';
import { isEqual, object, type StringMap } from '../../../kubernetes/json.ts';
import { entries } from '../../children/radix.ts';
import { living } from '../../children/reconcile.ts';
import { readAdopted, withHash, writeAdopted } from '../../objects/adopted.ts';
import { withChannel } from '../../objects/computedomain.ts';
import { annotation, isOurs } from '../../objects/labels.ts';
import { domainOf, memberName } from '../../objects/names.ts';
import type { ObservedClique } from '../../objects/podclique.ts';
import type { ObservedSet } from '../../objects/podcliqueset.ts';
import type { CliqueTemplate } from '../../objects/template.ts';
import { livingMember } from '../context.ts';
import type { Replica, Step } from '../context.ts';
import { isForeign, writtenRollout } from '../rollout.ts';

export const adoptHashes: Step = (context, set) => {
  const before = readAdopted(set.annotations[annotation.adoptedHashes]);
  const theirs = new Map<string, string>();
  for (const [index, replica] of entries(context.replicas)) {
    for (const [template, clique] of cliquesOf(set, replica)) {
      const { templateHash } = clique;
      if (templateHash === undefined || theirs.has(template.name)) continue;
      if (isForeign(clique) && shows(set, index, template, clique)) {
        theirs.set(template.name, templateHash);
      }
    }
  }
  const all = allTemplates(set);
  const { hash = '' } = writtenRollout(set);
  const isWhole = all.every(({ name }) => theirs.has(name));
  const templates: Record<string, StringMap> = { ...before.templates };
  for (const { name, hash: ours } of all) {
    const known = theirs.get(name);
    if (known !== undefined) templates[name] = withHash(templates[name] ?? {}, ours, known);
  }
  const value = writeAdopted({
    of: set.generationHash,
    generations: isWhole
      ? withHash(before.generations, set.generationHash, hash)
      : before.generations,
    templates,
  });
  const reason = `adopt the hashes of ${theirs.size} of ${all.length} templates`;
  const patch = { metadata: { annotations: { [annotation.adoptedHashes]: value } } };
  return { intents: [patchOf(set, reason, patch)], changes: {} };
};

const allTemplates = ({ cliques, groups }: ObservedSet): readonly CliqueTemplate[] => [
  ...cliques,
  ...groups.flatMap(({ members }) => members),
];

/** The PodCliques that are there, each with its template. */
function* cliquesOf(
  set: ObservedSet,
  replica: Replica,
): Iterable<[CliqueTemplate, ObservedClique]> {
  for (const template of set.cliques) {
    const clique = living(replica.children.PodClique.get(template.name), set);
    if (clique !== undefined) yield [template, clique];
  }
  for (const group of set.groups) {
    const there = living(replica.children.PodCliqueScalingGroup.get(group.name), set);
    for (let member = 0; member < (there?.replicas ?? 0); member++) {
      for (const template of group.members) {
        const slot = memberName(group.name, member, template.name);
        const clique = livingMember(replica, set, group.name, slot);
        if (clique !== undefined) yield [template, clique];
      }
    }
  }
}

/** What was made from the template as it is now: the pod spec, and the labels and annotations that
 *  are the template's. */
function shows(
  set: ObservedSet,
  index: number,
  template: CliqueTemplate,
  { podSpec, labels, annotations }: ObservedClique,
): boolean {
  const wanted = object(template.spec['podSpec']);
  const domain = domainOf(set.name, index, template);
  return (
    isEqual(podSpec, domain === undefined ? wanted : withChannel(wanted, domain)) &&
    isEqual(passedOn(labels), passedOn(template.labels)) &&
    isEqual(passedOn(annotations), passedOn(template.annotations))
  );
}

const passedOn = (map: StringMap): StringMap =>
  Object.fromEntries(
    Object.entries(map).filter(([key]) => !isOurs(key) && !key.startsWith('app.kubernetes.io/')),
  );
