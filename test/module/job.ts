// Step 4, the other one: a job says on which printer it is, and on which paper.
import type { Behaviour } from '#machines/behaviour.ts';
import { defineBehaviour } from '#machines/statechart/define.ts';
import type { ActorKey, CommonEvent } from '#machines/vocabulary.ts';
import type { JobFact } from './facts.ts';

interface Context {
  readonly key: ActorKey;
  readonly root: ActorKey;
  readonly job: JobFact | undefined;
  readonly isGone: boolean;
  readonly paper: string;
}

type Event =
  | CommonEvent
  | { readonly type: 'job.observed'; readonly fact: JobFact }
  | { readonly type: 'job.gone'; readonly uid: string }
  | { readonly type: 'paper.observed'; readonly size: string }
  | { readonly type: 'paper.gone' };

function reduce(context: Context, event: Event): Context {
  switch (event.type) {
    case 'job.observed':
      return { ...context, job: event.fact };
    case 'job.gone':
      return { ...context, isGone: context.job?.uid === event.uid };
    case 'paper.observed':
      return { ...context, paper: event.size };
    case 'paper.gone':
      return { ...context, paper: '' };
    default:
      return context;
  }
}

export const job: Behaviour = defineBehaviour<Context, JobFact, Event>({
  kind: 'job',
  controller: 'job',
  own: { of: ({ job: own }) => own, isGone: ({ isGone }) => isGone },
  start: ({ key, root }) => ({ key, root, job: undefined, isGone: false, paper: '' }),
  reduce,
  chart: {},
  steps: [],
  status: ({ root, paper }, own) => ({
    type: 'writeStatus',
    ref: { kind: 'Job', namespace: own.namespace, name: own.name },
    uid: own.uid,
    reason: 'where it is printed',
    urgency: 'now',
    status: { printer: root.name, paper },
  }),
  explain: {},
  fine: ({ root }) => `it waits for its turn on ${root.name}`,
  view: ({ root, paper }) => ({ printer: root.name, paper }),
  hasNothing: () => true,
});
