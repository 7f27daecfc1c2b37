// Phase: the PodGang's actor is told which pods there are and will be. Said when it changes, when
// it is asked for, and again with growing pauses while the PodGang does not show it, since a
// message may be lost.
import { isDue, repeatAfter } from '../../deadline.ts';
import type { GangFact } from '../../podgang/facts.ts';
import { groupOf } from '../../podgang/facts.ts';
import type { EpochMs, Intent } from '../../vocabulary.ts';
import { currentGang, idle, missingPods, wantedNames } from '../context.ts';
import type { CliqueContext, Phase } from '../context.ts';

/** What a PodClique tells its PodGang. `names` are sorted. */
export interface CliquePods {
  readonly type: 'clique.pods';
  readonly uid: string;
  readonly clique: string;
  readonly replicas: number;
  readonly names: readonly string[];
  readonly missing: number;
}

export const tellGang: Phase = (context, clique, now) => {
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
  };
  const text = `${gang.uid} ${JSON.stringify(message)}`;
  const isNew = context.told?.text !== text || context.isAsked;
  const isShown = gang.isInitialized && isListed(gang, message);
  if (!isNew && (isShown || !isDue(context.told?.repeat, now))) return idle;
  const repeat = repeatAfter(isNew ? undefined : context.told?.repeat, now);
  return {
    intents: [tell(context, gang, message)],
    changes: { told: { text, repeat }, isAsked: false },
  };
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

/** When to say it again, while the PodGang does not show what was told. */
export function repeatDeadline(context: CliqueContext): EpochMs | null {
  const { clique, told } = context;
  const gang = clique === undefined ? undefined : currentGang(context, clique);
  if (clique === undefined || gang === undefined || told === undefined) return null;
  const names = wantedNames(context, clique);
  const listed = groupOf(gang, clique.name)?.pods;
  const isShown = listed?.size === names.length && names.every((name) => listed.has(name));
  return gang.isInitialized && isShown ? null : told.repeat.at;
}
