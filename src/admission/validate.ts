// Puts the tables together: which rules an object has to obey, in which order, and what ends the
// search for errors early. Pure; the webhooks call it with everything looked up.
import { at } from '#machines/kubernetes/json.ts';
import { backendRules } from './backend/backend.ts';
import { kaiRules } from './backend/kai.ts';
import { lpxRules, volcanoRules } from './backend/volcano.ts';
import { bindingRules, type BindingSubject } from './binding.ts';
import type { Advice, FieldError, Rule } from './rule.ts';
import { setAdvice } from './set/advice.ts';
import { claimRules } from './set/claims.ts';
import { cliqueRules } from './set/cliques.ts';
import { groupRules } from './set/groups.ts';
import { lengthRules } from './set/lengths.ts';
import { mnnvlRules, mnnvlUpdateRules } from './set/mnnvl.ts';
import { podRules } from './set/pods.ts';
import { startupRules } from './set/startup.ts';
import { wholeRules } from './set/whole.ts';
import { topologyAdvice } from './topology/advice.ts';
import { topologyStages } from './topology/create.ts';
import { isRepair, topologyUpdateRules } from './topology/update.ts';
import { cliqueUpdateRules } from './update/cliques.ts';
import { wholeUpdateRules } from './update/whole.ts';
import { isSame, type SetSubject, type UpdateSubject } from './view.ts';

export interface Section<Subject> {
  readonly title: string;
  /** The first stage that finds something wrong is the last. */
  readonly stages: readonly (readonly Rule<Subject>[])[];
}

/** An error and the rule that found it. */
export interface Finding {
  readonly rule: string;
  readonly error: FieldError;
}

const structure: Section<SetSubject> = {
  title: 'Structure',
  stages: [
    [
      ...wholeRules,
      ...claimRules,
      ...cliqueRules,
      ...podRules,
      ...startupRules,
      ...groupRules,
      ...lengthRules,
    ],
  ],
};
const topology: Section<SetSubject> = { title: 'Topology', stages: topologyStages };
const mnnvl: Section<SetSubject> = { title: 'MNNVL', stages: [mnnvlRules] };
const backend: Section<SetSubject> = {
  title: 'Scheduler backend',
  // A backend says one thing at a time.
  stages: [...backendRules, ...kaiRules, ...volcanoRules, ...lpxRules].map((rule) => [rule]),
};
const mnnvlUpdate: Section<UpdateSubject> = {
  title: 'MNNVL, in an update',
  stages: [mnnvlUpdateRules],
};
const update: Section<UpdateSubject> = {
  title: 'What an update may not change',
  stages: [[...cliqueUpdateRules, ...wholeUpdateRules, ...topologyUpdateRules]],
};

/** All there is, for the tests and the documentation. */
export const setSections = [topology, structure, mnnvl, backend] as const;
export const updateSections = [mnnvlUpdate, update] as const;
export const bindingSections: readonly Section<BindingSubject>[] = [
  { title: 'ClusterTopologyBinding', stages: [bindingRules] },
];
export const advice: readonly Advice<SetSubject>[] = [...setAdvice, ...topologyAdvice];

function findIn<Subject>({ stages }: Section<Subject>, subject: Subject): readonly Finding[] {
  for (const stage of stages) {
    const found = stage.flatMap((rule) =>
      rule.check(subject).map((error) => ({ rule: rule.id, error })),
    );
    if (found.length > 0) return found;
  }
  return [];
}

/** Everything that is wrong with a PodCliqueSet (spec api 3.3, 3.4): empty if it may be stored. */
export function findSetErrors(subject: SetSubject): readonly Finding[] {
  if (isBeforeUpdate(subject)) return findUpdateErrors(subject);
  return setSections.flatMap((section) => findIn(section, subject));
}

const isBeforeUpdate = (subject: SetSubject): subject is UpdateSubject => subject.old !== undefined;

/** What may not change is judged when nothing else is wrong. */
function findUpdateErrors(subject: UpdateSubject): readonly Finding[] {
  if (isLeftAlone(subject)) return [];
  const wrong = [
    ...findIn(structure, subject),
    ...findIn(mnnvlUpdate, subject),
    ...findIn(backend, subject),
  ];
  if (wrong.length > 0) return wrong;
  return [...findIn(update, subject), ...(isRepair(subject) ? findIn(topology, subject) : [])];
}

/**
 * Updates that change nothing of what rules are about, and those of an object that is being
 * deleted: refusing them would keep finalizers from being added and removed, as Grove does when a
 * queue was closed meanwhile (spec api 3.7, controllers 10.1 rule 56).
 */
export function isLeftAlone({ set, old }: Pick<UpdateSubject, 'set' | 'old'>): boolean {
  if (at(old.metadata, 'deletionTimestamp') !== undefined) return true;
  return (
    isSame(set.spec, old.spec) &&
    isSame(set.metadata['labels'], old.metadata['labels']) &&
    isSame(set.metadata['annotations'], old.metadata['annotations'])
  );
}

/** Warnings for whoever sent the set; also where it is refused. */
export const adviseOn = (subject: SetSubject): readonly string[] =>
  advice.flatMap(({ check }) => check(subject));

/** Everything that is wrong with a ClusterTopologyBinding. */
export const findBindingErrors = (subject: BindingSubject): readonly Finding[] =>
  bindingSections.flatMap((section) => findIn(section, subject));
