// Step 4, the other one: a job says on which printer it is, and on which paper. It reads the paper
// of its printer, and the size of that paper.
import type { ActorKey } from '#machines/contract/address.ts';
import type { Behaviour } from '#machines/contract/behaviour.ts';
import type { CommonEvent } from '#machines/contract/events.ts';
import { keyIn } from '#machines/contract/view.ts';
import { defineBehaviour } from '#machines/statechart/define.ts';
import type { ObservedJob } from './facts.ts';
import { paperSize, printerPaper } from './routes.ts';

interface Context {
  readonly key: ActorKey;
  readonly root: ActorKey;
  readonly job: ObservedJob | undefined;
  readonly isGone: boolean;
  readonly paper: string;
  readonly size: string;
}

type Event =
  | CommonEvent
  | { readonly type: 'job.observed'; readonly observed: ObservedJob }
  | { readonly type: 'job.gone'; readonly uid: string }
  | { readonly type: 'paper.read'; readonly paper: string }
  | { readonly type: 'size.read'; readonly size: string };

function reduce(context: Context, event: Event): Context {
  switch (event.type) {
    case 'job.observed':
      return { ...context, job: event.observed };
    case 'job.gone':
      return { ...context, isGone: context.job?.uid === event.uid };
    case 'paper.read':
      return { ...context, paper: event.paper };
    case 'size.read':
      return { ...context, size: event.size };
    default:
      return context;
  }
}

export const job: Behaviour = defineBehaviour<Context, ObservedJob, Event>({
  kind: 'job',
  controller: 'job',
  own: { of: ({ job: own }) => own, isGone: ({ isGone }) => isGone },
  start: ({ key, root }) => ({ key, root, job: undefined, isGone: false, paper: '', size: '' }),
  reduce,
  reads: ({ root, paper }) => [
    { view: printerPaper, key: keyIn(root, root.name) },
    ...(paper === '' ? [] : [{ view: paperSize, key: paper }]),
  ],
  chart: {},
  steps: [],
  status: ({ root, size }, own) => ({
    type: 'writeStatus',
    ref: { kind: 'Job', namespace: own.namespace, name: own.name },
    uid: own.uid,
    reason: 'where it is printed',
    urgency: 'now',
    status: { printer: root.name, paper: size },
  }),
  explain: {},
  fine: ({ root }) => `it waits for its turn on ${root.name}`,
  view: ({ root, size }) => ({ printer: root.name, paper: size }),
  hasNothing: () => true,
});
