// What `coppice dev` says when all is ready: how to go on, as commands that can be pasted. What is
// the same for all modules is here; each adds its own.
import { formatSubject } from '#bus/subjects.ts';
import type { NextSteps } from '#src/modules/edge.ts';

export interface Places {
  readonly kubeconfig: string;
  readonly api: string;
  readonly nats: string | undefined;
  readonly http: string;
  /** The link that opens it. */
  readonly inspector: string;
}

export const nextSteps = (places: Places, steps: readonly NextSteps[]): readonly string[] => [
  `Open the inspector (the link works once): ${places.inspector}`,
  'Look at the cluster:',
  `  export KUBECONFIG=${quoted(places.kubeconfig)}`,
  ...steps.flatMap(({ kubectl }) => kubectl.map((command) => `  ${command}`)),
  'Follow every event:',
  ...natsSteps(places.nats, steps),
  'Look into the controller:',
  `  curl ${places.http}/actors`,
  `  curl ${places.http}/metrics`,
];

function natsSteps(server: string | undefined, steps: readonly NextSteps[]): readonly string[] {
  if (server === undefined) return ['  (NATS is off: start without --no-nats to trace events)'];
  const asks = steps.flatMap(({ about }) => {
    const subject = about && formatSubject({ type: 'ask', about, question: 'why' });
    return subject?.ok === true ? [`  nats --server ${server} req ${subject.value} '{}'`] : [];
  });
  return [
    `  nats --server ${server} sub 'coppice.>'`,
    ...asks,
    `  nats --server ${server} micro ls`,
  ];
}

/** As one word of a shell. */
const quoted = (text: string): string =>
  /^[\w./:@%+=-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
