// The PodGang's actor is told which pods there are and will be. Said when it changes, when
// it is asked for, and again with growing pauses while the PodGang does not show it, since a
// message may be lost.
import { isDue, repeatAfter } from '../../deadline.ts';
import type { Repeat } from '../../deadline.ts';
import { idle } from '../../statechart/step.ts';
import type { Wait } from '../../statechart/step.ts';
import type { GangFact } from '../../podgang/facts.ts';
import { groupOf } from '../../podgang/facts.ts';
import type { Intent } from '../../vocabulary.ts';
import { currentGang, missingPods, wantedNames } from '../context.ts';
import type { CliqueContext, Step } from '../context.ts';
import type { CliqueFact } from '../facts.ts';
import { countPods } from '../status.ts';

/** What a PodClique tells its PodGang. `names` are sorted. */
export interface CliquePods {
  readonly type: 'clique.pods';
  readonly uid: string;
  readonly clique: string;
  readonly replicas: number;
  readonly names: readonly string[];
  readonly missing: number;
  /** At least minReplicas of them have a node: gangs that build on this one wait for that. */
  readonly isScheduled: boolean;
}

export const tellGang: Step = (context, clique, now) => {
  const gang = currentGang(context, clique);
  // Without a PodGang nobody listens; it asks when it comes.
  if (gang === undefined) return context.told === undefined ? idle : forget;
  const message: CliquePods = {
    type: 'clique.pods',
    uid: clique.uid,
    clique: clique.name,
    replicas: clique.replicas,
    names: wantedNames(context, clique),
    missing: missingPods(context, clique),
    isScheduled: isScheduled(context, clique, gang),
  };
  const text = `${gang.uid} ${JSON.stringify(message)}`;
  const isNew = context.told?.text !== text || context.isAsked;
  const isShown = gang.isInitialized && isListed(gang, message);
  const before = context.told?.repeat;
  if (!isNew && (isShown || !isDue(before, now))) return { ...idle, waits: until(isShown, before) };
  const repeat = repeatAfter(isNew ? undefined : before, now);
  return {
    intents: [tell(context, gang, message)],
    changes: { told: { text, repeat }, isAsked: false },
    waits: until(isShown, repeat),
  };
};

/** It is said again while the PodGang does not show what was told. */
const until = (isShown: boolean, repeat: Repeat | undefined): readonly Wait[] =>
  isShown || repeat === undefined ? [] : [{ until: repeat.at }];

const isScheduled = (context: CliqueContext, clique: CliqueFact, gang: GangFact): boolean => {
  const least = groupOf(gang, clique.name)?.minReplicas ?? clique.minAvailable;
  return countPods(context, clique).scheduled >= least;
};

const forget = { intents: [], changes: { told: undefined } };

const isListed = (gang: GangFact, { clique, names }: CliquePods): boolean => {
  const listed = groupOf(gang, clique)?.pods;
  return listed?.size === names.length && names.every((name) => listed.has(name));
};

const tell = (context: CliqueContext, gang: GangFact, message: CliquePods): Intent => ({
  type: 'tell',
  to: { kind: 'podgang', namespace: context.key.namespace, name: gang.name },
  message: { ...message },
});

/** What a PodClique that is being deleted tells its PodGang. */
export interface CliqueLeaving {
  readonly type: 'clique.leaving';
  readonly uid: string;
  readonly clique: string;
}

/** Of a PodClique that is being deleted: said once, so that nobody builds on it. */
export const tellLeaving: Step = (context, clique) => {
  const message: CliqueLeaving = { type: 'clique.leaving', uid: clique.uid, clique: clique.name };
  const text = JSON.stringify(message);
  const gang = currentGang(context, clique);
  if (gang === undefined || context.told?.text === text) return idle;
  const to = { kind: 'podgang', namespace: clique.namespace, name: gang.name } as const;
  return {
    intents: [{ type: 'tell', to, message: { ...message } }],
    changes: { told: { text, repeat: { times: 0, at: 0 } } },
  };
};
